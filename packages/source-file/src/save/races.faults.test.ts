import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { IkigaiError } from "@ikigai/core";
import { expect, test } from "vitest";
import { openFileSource } from "../open-file-source.ts";
import { isTempFile } from "./temp-file.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const WAYS = ["rename", "in-place", "new-file", "append", "patch"] as const;

test.each(WAYS)("600 saves of a person (%s) against saves of an agent: none is lost without trace", async (way) => {
  const root = mkdtempSync(`${tmpdir()}/source-file-race-`);
  const path = `${root}/a.md`;
  const person = await startPerson();
  let source = await openFileSource({ root }, { warn: () => {} });
  const outcomes = { agent: 0, conflict: 0, late: 0, lost: 0, copies: 0 };
  for (let round = 0; round < 600; round++) {
    writeFileSync(path, `base ${round}\n`);
    const { version } = (await source.read("a.md")) ?? { version: "" };
    const text = `person ${round}\n`;
    const saved = person.save({ path, text, way, micros: Math.random() * 6_000 });
    const outcome = await source.write("a.md", `agent ${round}\n`, { expected: version }).then(
      () => "agent" as const,
      (error: unknown) => (IkigaiError.is(error, "conflict") ? ("conflict" as const) : error),
    );
    expect(["agent", "conflict"]).toContain(outcome);
    outcomes[outcome as "agent" | "conflict"]++;
    // The editor itself fails when the name is absent in the very moment; a failed save is not a lost one.
    if ((await saved) !== "saved") continue;
    const isThere = (): boolean =>
      readdirSync(root).some((name) => readFileSync(`${root}/${name}`, "utf8").includes(text));
    if (isThere()) continue;
    // An editor that was held up between opening and writing is seen by the look at closing.
    await source.close?.();
    source = await openFileSource({ root }, { warn: () => {} });
    outcomes[isThere() ? "late" : "lost"]++;
  }
  outcomes.copies = readdirSync(root).filter((name) => name.includes("conflict")).length;
  process.stdout.write(`${way}: ${JSON.stringify(outcomes)}\n`);
  expect(outcomes.lost).toBe(0);
  expect(readdirSync(root).filter(isTempFile)).toEqual([]);
  await source.close?.();
  person.stop();
  rmSync(root, { recursive: true });
});

test("50 parallel edits of one file in one process are all in it", () => expectParallelEdits(1, 50));

test("50 parallel edits of one file in four processes are all in it", () => expectParallelEdits(4, 50));

async function expectParallelEdits(processes: number, edits: number): Promise<void> {
  const root = mkdtempSync(`${tmpdir()}/source-file-edits-`);
  writeFileSync(`${root}/a.md`, "");
  const shares = Array.from({ length: processes }, (_, at) => Math.floor((edits + at) / processes));
  const exits = shares.map((share, at) => {
    const child = spawn(process.execPath, [fixture("edit-lines.mjs"), root, "a.md", `p${at}`, String(share)], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    return once(child, "exit");
  });
  for (const [code] of await Promise.all(exits)) expect(code).toBe(0);
  const lines = readFileSync(`${root}/a.md`, "utf8").trim().split("\n");
  expect(lines.length).toBe(edits);
  expect(new Set(lines).size).toBe(edits);
  expect(readdirSync(root)).toEqual(["a.md"]);
  rmSync(root, { recursive: true });
}

async function startPerson(): Promise<{ save(what: object): Promise<string>; stop(): void }> {
  const child = spawn(process.execPath, [fixture("person.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async save(what) {
      child.stdin.write(`${JSON.stringify(what)}\n`);
      return String((await lines.next()).value);
    },
    stop: () => void child.stdin.end(),
  };
}
