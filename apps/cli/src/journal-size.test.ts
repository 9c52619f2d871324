import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, stopKeeper } from "@ikigai/database";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Host } from "@ikigai/host";
import { resolveSettings } from "./settings.ts";
import { openTerminalHost } from "./terminal/terminal-host.ts";
import { createTerminal } from "./terminal/terminal.ts";

const EDITS = 20;
const MEGABYTE = 1_000_000;

let base: string;
let host: Host | undefined;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-journal-size-"));
  process.env["XDG_CONFIG_HOME"] = join(base, "config");
  await mkdir(join(base, "root"));
});
afterEach(async () => {
  await host?.close();
  host = undefined;
  await stopKeeper(join(base, "store", "postgres"));
  await rm(base, { recursive: true });
});

async function open(): Promise<Host> {
  const settings = { root: join(base, "root"), store: join(base, "store"), agent: "ann", approve: "all" } as const;
  return (host = await openTerminalHost(resolveSettings(settings), createTerminal(true)));
}

/** 7.8 MB of lines that look like code, no two the same. */
function largeText(): string {
  let number = 1;
  const lines: string[] = [];
  for (let length = 0; length < 7.8 * MEGABYTE;) {
    number = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d) + lines.length;
    const line = `  const value${lines.length} = compute("${(number >>> 0).toString(36)}", { depth: ${lines.length % 97} });\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join("");
}

async function call(own: Host, name: string, input: object): Promise<void> {
  const envelope = await own.registry.call({ name, arguments: input }, { agent: "ann" });
  expect(envelope).toMatchObject({ success: true });
}

const editOf = (n: number): object => ({
  path: "large.ts",
  old: `value${n * 5_000 + 3} = compute(`,
  new: `edited${n} = compute(`,
});

async function bytesOf(database: Database): Promise<number> {
  return (await database.status()).bytes;
}

test(
  "twenty edits of one line in a text of 7.8 MB cost less than the text, and each is undone",
  { timeout: 240_000 },
  async () => {
    const own = await open();
    const file = join(base, "root", "large.ts");
    await writeFile(file, largeText());
    const { database } = await own.store.open();
    const empty = await bytesOf(database);
    const versions: string[] = [];
    for (let n = 0; n < EDITS; n++) {
      versions.push(await readFile(file, "utf8"));
      await call(own, "file_edit", editOf(n));
    }
    // With the whole text before each edit this was 158 MB, and as much again in the log of the database.
    expect((await bytesOf(database)) - empty).toBeLessThan(6 * MEGABYTE);
    for (const version of versions.toReversed()) {
      await call(own, "undo", { path: "large.ts" });
      expect((await readFile(file, "utf8")) === version).toBe(true);
    }
    expect((await bytesOf(database)) - empty).toBeLessThan(8 * MEGABYTE);
  },
);

test("a change whose text is no longer whole in the store is not undone, and the error names its entry", async () => {
  const own = await open();
  const file = join(base, "root", "large.ts");
  const text = largeText().slice(0, 400_000);
  await writeFile(file, text);
  await call(own, "file_edit", editOf(0));
  const edited = await readFile(file, "utf8");
  const { database } = await own.store.open();
  await database.query(
    "delete from journal_chunk where hash = (select min(hash) from journal_chunk where packing <> 'list')",
  );
  const undo = await own.registry.call({ name: "undo", arguments: { path: "large.ts" } }, { agent: "ann" });
  expect(undo).toMatchObject({
    success: false,
    code: "unavailable",
    error: expect.stringMatching(/journal entry \d+ of file:\/\/\/large\.ts cannot be read: a piece of it is missing/),
  });
  expect((await readFile(file, "utf8")) === edited).toBe(true);
  // The entry is still shown.
  await call(own, "history", { path: "large.ts" });
});
