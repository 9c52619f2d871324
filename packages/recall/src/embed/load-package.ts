import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { IkigaiError } from "@ikigai/core";

/**
 * Loads a package that only some installations have, from beside this one or else from `folder`.
 *
 * Contract: `unavailable`, naming it and what to `install`, when it is in neither place.
 */
export async function loadPackage<T>(name: string, folder?: string, install: string = name): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    const file = folder === undefined ? undefined : resolveFrom(folder, name);
    if (file !== undefined) return (await import(pathToFileURL(file).href)) as T;
    const where = folder === undefined ? "" : ` in ${folder}`;
    throw new IkigaiError("unavailable", `The package ${name} is not installed or does not load`, {
      hint: `Install it${where} with: npm install ${install}`,
      cause,
    });
  }
}

/** Where a program in `folder` finds the package. Nothing else, such as NODE_PATH, brings one in. */
function resolveFrom(folder: string, name: string): string | undefined {
  const resolver = createRequire(join(folder, "package.json"));
  const places = resolver.resolve.paths(name) ?? [];
  const installed = places.some((place) => isWithin(dirname(place), folder) && existsSync(join(place, name)));
  try {
    return installed ? resolver.resolve(name) : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(ancestor: string, folder: string): boolean {
  return !relative(ancestor, folder).startsWith("..");
}
