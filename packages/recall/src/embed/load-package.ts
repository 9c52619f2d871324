import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
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

/** The package that is installed in `folder` itself. Nothing else brings one in: no folder above it, no NODE_PATH. */
function resolveFrom(folder: string, name: string): string | undefined {
  const modules = join(folder, "node_modules");
  try {
    const home = realpathSync(join(modules, name));
    const file = createRequire(join(modules, "_.js")).resolve(name);
    return file.startsWith(home + sep) ? file : undefined;
  } catch {
    return undefined;
  }
}
