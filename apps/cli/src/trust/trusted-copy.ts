import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type { CodeReach } from "./code-reach.ts";
import type { CodeUnit } from "./code-unit.ts";

/** Copies of trusted scripts, in a folder that only this user and this process know. */
export interface TrustedCopies {
  /**
   * The command with its script replaced by a copy of the bytes that were judged.
   *
   * Contract: the command as it is when it has to run in its place.
   */
  commandFor(unit: CodeUnit, reach: CodeReach): readonly [string, ...string[]];
  [Symbol.dispose](): void;
}

/** Contract: nothing is made before the first copy; what processes that died left is taken away then. */
export function createTrustedCopies(stateDirectory: string): TrustedCopies {
  let folder: string | undefined;
  const made = new Map<string, string>();

  /** Contract: the folder that stands for the root of the file system. */
  function copy(files: CodeReach["files"]): string {
    const digest = createHash("sha256");
    for (const [path, bytes] of files) digest.update(`${path}\0${bytes.length}\0`).update(bytes);
    const key = digest.digest("hex");
    const known = made.get(key);
    if (known !== undefined) return known;
    if (folder === undefined) {
      const copies = join(stateDirectory, "trusted-code");
      mkdirSync(copies, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(copies))
        if (!isAlive(Number.parseInt(name, 10))) rmSync(join(copies, name), { recursive: true, force: true });
      folder = realpathSync(mkdtempSync(join(copies, `${process.pid}-`)));
      process.once("exit", dispose);
    }
    const place = join(folder, key.slice(0, 16));
    for (const [path, bytes] of files) {
      const file = join(place, path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, bytes, { mode: 0o700, flag: "wx" });
    }
    made.set(key, place);
    return place;
  }

  function dispose(): void {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
    made.clear();
    process.removeListener("exit", dispose);
  }

  return {
    commandFor({ command = ["false"], cwd, from }, reach) {
      const { script, files } = reach;
      if (script === undefined) return command;
      const named = realpathSync(resolve(script === 0 ? from : cwd, command[script] ?? ""));
      const copied = `${copy(files)}${sep}${named.replace(/^[/\\]+/, "")}`;
      const [program, ...args] = command.map((word, at) => (at === script ? copied : word));
      return [program ?? copied, ...args];
    },
    [Symbol.dispose]: dispose,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
