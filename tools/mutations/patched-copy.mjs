// A copy of the tree in which lines can be taken out: the sources copied, the installed packages linked.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Contract: whoever makes the copy removes it. What the working tree holds is copied, committed or not. */
export function makeCopy(root) {
  const copy = mkdtempSync(join(tmpdir(), "ikigai-mutations-"));
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }).split("\0");
  for (const file of files) {
    if (file === "" || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
  }
  for (const folder of ["", ...packagesOf(root)]) {
    const dist = join(root, folder, "dist");
    if (folder !== "" && existsSync(dist)) cpSync(dist, join(copy, folder, "dist"), { recursive: true });
    linkModules(join(root, folder, "node_modules"), join(copy, folder, "node_modules"));
  }
  return {
    folder: copy,
    remove: () => rmSync(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}

/** The folders of the workspace that are packages, relative to the root. */
export function packagesOf(root) {
  const groups = ["packages", "apps", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  return [...groups, "bench"].filter((folder) => existsSync(join(root, folder, "package.json")));
}

/** Links that lead to packages of the workspace keep their relative targets, so they lead into the copy. */
function linkModules(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), join(to, entry.name));
    else if (entry.name.startsWith("@")) linkModules(source, join(to, entry.name));
    else symlinkSync(source, join(to, entry.name));
  }
}
