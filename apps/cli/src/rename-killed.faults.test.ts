import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../bin/ikigai.js", import.meta.url));
const LINKERS = 500;
const ROUNDS = 6;

let base: string;
let root: string;
let store: string;
let names = ["Plan", "Goal"];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-renamed-"));
  root = join(base, "root");
  store = join(base, "store");
  mkdirSync(root);
  writeFileSync(join(root, "Plan.md"), "# Plan\n");
  for (let at = 0; at < LINKERS; at += 1) {
    writeFileSync(linker(at), `# Note ${at}\n\nSee [[Plan]] and [[Plan#Plan|this]].\n`);
  }
  await finished(start("list_notes", {}));
}, 300_000);
afterAll(async () => {
  await stopKeeper(join(store, "postgres"));
  await rm(base, { recursive: true, force: true });
});

function linker(at: number): string {
  return join(root, `n${String(at).padStart(3, "0")}.md`);
}

function start(tool: string, input: object): ChildProcess {
  const flags = ["--root", root, "--store", store, "--approve", "all", "--quiet"];
  return spawn(process.execPath, [PROGRAM, ...flags, "tool", tool, JSON.stringify(input)], {
    env: { PATH: process.env["PATH"], HOME: base },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function finished(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
}

function rewritten(name: string): number {
  let count = 0;
  for (let at = 0; at < LINKERS; at += 1) {
    const text = readFileSync(linker(at), "utf8");
    if (text === `# Note ${at}\n\nSee [[${name}]] and [[${name}#Plan|this]].\n`) count += 1;
  }
  return count;
}

const moments = Array.from({ length: ROUNDS }, () => 1 + Math.floor(Math.random() * (LINKERS - 1)));

test.each(moments)(
  "a rename killed once about %i of 500 notes are rewritten is done or undone as a whole",
  async (moment) => {
    const [from, to] = names as [string, string];
    const child = start("rename_note", { name: from, new_name: to });
    // Looks again and again, since the moment is over in milliseconds.
    while (child.exitCode === null && rewritten(to) < moment) await setImmediate();
    child.kill("SIGKILL");
    await finished(child);
    // Else nothing was interrupted, and the rest would show nothing.
    expect(rewritten(to)).toBeGreaterThan(0);
    await finished(start("list_notes", {}));
    const done = rewritten(to);
    expect([done, rewritten(from)].toSorted((a, b) => a - b)).toEqual([0, LINKERS]);
    const [now, before] = done === LINKERS ? [to, from] : [from, to];
    expect(existsSync(join(root, `${now}.md`))).toBe(true);
    expect(existsSync(join(root, `${before}.md`))).toBe(false);
    names = [now, before];
  },
);
