import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";

/**
 * The file that a package in `folder`/node_modules gives for `specifier`.
 *
 * Contract: looks in that one folder only: not in the folders above it, not in NODE_PATH, and not at what the package.json
 * of `folder` itself exports or maps. `undefined` when there is none.
 */
export function resolveInstalled(specifier: string, folder: string): string | undefined {
  const modules = join(folder, "node_modules");
  try {
    const home = realpathSync(join(modules, packageNameOf(specifier)));
    // Resolved from inside node_modules, where no package can refer to itself.
    const file = createRequire(join(modules, "_.js")).resolve(specifier);
    return file.startsWith(home + sep) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** The package of `@scope/name/path` or `name/path`. */
export function packageNameOf(specifier: string): string {
  const [first = "", second = ""] = specifier.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
