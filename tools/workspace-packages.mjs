// The packages of this workspace, without anything that would have to be installed first.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every package that is built: its name and its folder. */
export function workspacePackages() {
  const folders = ["packages", "apps", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  return [...folders, join(root, "bench")]
    .filter((folder) => existsSync(join(folder, "tsconfig.json")))
    .map((folder) => ({ name: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name, folder }));
}

/** The package that a person means by its name, by its name without the scope, or by its folder. Absent: none of them. */
export function findPackage(meant) {
  return workspacePackages().find(
    ({ name, folder }) =>
      meant === name || `@ikigai/${meant}` === name || relative(resolve(root, meant), folder) === "",
  );
}
