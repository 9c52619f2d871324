import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type { CodeUnit } from "./code-unit.ts";
import { type HeldCode, HOLDER } from "./held-code.ts";
import type { JudgedReach } from "./project-trust.ts";

/** Copies of trusted scripts, in a folder that only this user and this process know. */
export interface TrustedCopies {
  /**
   * The command with its script replaced by a copy of the bytes that were judged, or with what holds Node to them.
   *
   * Contract: the command as it is for a shell script that asks where it lies, and for what may run anything.
   */
  commandFor(unit: CodeUnit, reach: JudgedReach): readonly [string, ...string[]];
  [Symbol.dispose](): void;
}

/** Contract: nothing is made before the first copy; what processes that died left is taken away then. */
export function createTrustedCopies(stateDirectory: string): TrustedCopies {
  let folder: string | undefined;
  const made = new Map<string, string>();

  /** A folder for what is written from `content`, and whether it is new. */
  function placeFor(content: Iterable<readonly [path: string, content: Buffer | string]>): readonly [string, boolean] {
    const digest = createHash("sha256");
    for (const [path, bytes] of content) digest.update(`${path}\0${bytes.length}\0`).update(bytes);
    const key = digest.digest("hex");
    const known = made.get(key);
    if (known !== undefined) return [known, false];
    if (folder === undefined) {
      const copies = join(stateDirectory, "trusted-code");
      mkdirSync(copies, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(copies))
        if (!isAlive(Number.parseInt(name, 10))) rmSync(join(copies, name), { recursive: true, force: true });
      folder = realpathSync(mkdtempSync(join(copies, `${process.pid}-`)));
      process.once("exit", dispose);
    }
    const place = join(folder, key.slice(0, 16));
    mkdirSync(place, { recursive: true, mode: 0o700 });
    made.set(key, place);
    return [place, true];
  }

  /** Contract: the folder that stands for the root of the file system. */
  function copy(files: JudgedReach["files"]): string {
    const [place, isNew] = placeFor(files);
    if (!isNew) return place;
    for (const [path, bytes] of files) {
      const file = join(place, path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, bytes, { mode: 0o700, flag: "wx" });
    }
    return place;
  }

  /** A script that Node loads first: it holds the process to what was judged, and is told of it in its own text. */
  function holdFirst(held: HeldCode): string {
    const text = `require(${JSON.stringify(HOLDER)}).holdFromStart(${JSON.stringify(held)});\n`;
    const [place, isNew] = placeFor([["hold.cjs", text]]);
    const file = join(place, "hold.cjs");
    if (isNew) writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    return file;
  }

  function dispose(): void {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
    made.clear();
    process.removeListener("exit", dispose);
  }

  return {
    commandFor({ command = ["false"], cwd, from }, reach) {
      const { script, files, held } = reach;
      if (script === undefined) return command;
      const [program, ...args] = command;
      if (script.runsAnywhere) {
        const named = realpathSync(resolve(script.at === 0 ? from : cwd, command[script.at] ?? ""));
        const copied = `${copy(files)}${sep}${named.replace(/^[/\\]+/, "")}`;
        return script.at === 0 ? [copied, ...args] : [program, copied, ...args.slice(1)];
      }
      if (script.language !== "node" || held === undefined) return command;
      const first = ["--require", holdFirst(held)];
      if (script.at !== 0) return [program, ...first, ...args];
      return [script.interpreter ?? "node", ...first, resolve(from, program), ...args];
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
