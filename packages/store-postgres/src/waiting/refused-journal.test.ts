import { createHash } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testEngines } from "@ikigai/database/testing";
import { createFileJournal } from "@ikigai/memory";
import { afterAll, describe, expect, test } from "vitest";
import { createJournal, storeMigrations } from "../index.ts";
import { readRefused } from "./refused-rows.ts";
import { takeInJournal } from "./take-in-journal.ts";

/** Text that no index of a database takes, since it cannot be compressed. */
const noise = Array.from({ length: 100 }, (_, at) => createHash("sha512").update(`${at}`).digest("hex")).join("");
const entry = { uri: "file:///a.md", owner: "folder", agent: "ann" };

describe.each(testEngines())("an entry of a journal that the store refuses, on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test.each([
    ["an address that no index takes", { ...entry, uri: `file:///${noise}` }],
    ["a NUL in its address", { ...entry, uri: "file:///a\0b" }],
    ["a NUL in its text", { ...entry, after: { text: "x\0y", version: "" } }],
    ["a NUL in its reason", { ...entry, reason: "x\0" }],
  ])("for %s is set aside and told once, and those before and after it are stored", async (_, odd) => {
    const folder = await mkdtemp(join(tmpdir(), "ikigai-refused-"));
    const path = join(folder, "journal.jsonl");
    let now = 0;
    const kept = createFileJournal(path, () => new Date((now += 1_000)));
    const add = async (one: Parameters<typeof kept.intend>[0], version: string): Promise<void> =>
      kept.settle(await kept.intend(one), { version });
    await add({ ...entry, after: { text: "one", version: "" } }, "v1");
    await add({ after: { text: "odd", version: "" }, ...odd }, "v2");
    await add({ ...entry, before: { text: "one", version: "v1" }, after: { text: "three", version: "" } }, "v3");
    const database = await engine.fresh({ sets: [storeMigrations] });
    const told: unknown[] = [];
    const options = { onRefused: (error: unknown) => void told.push(error) };
    expect(await takeInJournal(database, path, options)).toBe(3);
    const journal = createJournal(database);
    const texts = async (): Promise<unknown[]> =>
      (await journal.history(entry.uri, { owner: "folder" })).map(({ after }) => after?.text);
    expect(await texts()).toEqual(["three", "one"]);
    expect(told).toHaveLength(1);
    expect(await readRefused(path)).toMatchObject({ file: `${path}.refused`, rows: 1 });
    expect((await stat(`${path}.refused`)).mode & 0o777).toBe(0o600);
    await add({ ...entry, before: { text: "three", version: "v3" }, after: { text: "four", version: "" } }, "v4");
    await takeInJournal(database, path, options);
    expect((await texts())[0]).toBe("four");
    expect((await readRefused(path))?.rows).toBe(1);
    await rm(folder, { recursive: true });
  });
});
