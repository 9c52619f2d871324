// Removes what an earlier build left in dist of files that were renamed or deleted since, so that it is not packed or imported.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

const OUTPUT = /\.(?:d\.ts|js)(?:\.map)?$/;

/** Outputs in a package's `dist` for which its `src` has no file any more, as paths from the package's folder. */
export function leftoverOutputs(folder) {
  const dist = join(folder, "dist");
  if (!existsSync(dist) || !existsSync(join(folder, "src"))) return [];
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && OUTPUT.test(entry.name))
    .map((entry) => relative(dist, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !existsSync(join(folder, "src", file.replace(OUTPUT, ".ts"))))
    .map((file) => join("dist", file));
}

/** Removes them. */
export function removeLeftovers(folder) {
  for (const file of leftoverOutputs(folder)) rmSync(join(folder, file), { force: true });
}
