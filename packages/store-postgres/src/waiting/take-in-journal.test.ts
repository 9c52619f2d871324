import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testEngines } from "@ikigai/database/testing";
import { createFileJournal } from "@ikigai/memory";
import { afterAll, describe, expect, test } from "vitest";
import { createJournal, storeMigrations } from "../index.ts";
import { readRefused } from "./refused-rows.ts";
import { takeInJournal } from "./take-in-journal.ts";

const actor = { agent: "ann", conversation: "c", callId: "1", tool: "file_write" };
const entry = { uri: "file:///a.md", owner: "folder", agent: "ann" };

describe.each(testEngines())("a journal that was kept in a file, on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("is taken in once, with what was undone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ikigai-take-in-"));
    const path = join(folder, "journal.jsonl");
    let now = 0;
    const kept = createFileJournal(path, () => new Date((now += 1_000)));
    const one = await kept.intend({ ...entry, actor, after: { text: "one", version: "" } });
    await kept.settle(one, { version: "v1" });
    const two = await kept.intend({ ...entry, reason: "tidy", before: { text: "one", version: "v1" } });
    await kept.settle(two, {});
    const undo = await kept.intend({ ...entry, reason: `undo of ${two}`, after: { text: "one", version: "" } });
    const database = await engine.fresh({ sets: [storeMigrations] });
    expect(await takeInJournal(database, join(folder, "none.jsonl"))).toBe(0);

    const twice = await Promise.all([takeInJournal(database, path), takeInJournal(database, path)]);
    expect(twice).toContain(3);
    await kept.settle(undo, { version: "v1" });
    const journal = createJournal(database);
    const found = await journal.history(entry.uri, { owner: "folder" });
    expect(found.map(({ at, reason, state }) => [at.getTime(), reason, state])).toEqual([
      [3_000, `undo of ${found[1]?.id}`, "intended"],
      [2_000, "tidy", "done"],
      [1_000, undefined, "done"],
    ]);
    expect(found.map(({ undoes }) => undoes)).toEqual([found[1]?.id, undefined, undefined]);
    expect(found[2]).toMatchObject({
      ...entry,
      tool: "file_write",
      callId: "1",
      after: { text: "one", version: "v1" },
    });

    await kept.settle(undo, { version: "v1" });
    await takeInJournal(database, path);
    for (const name of await readdir(folder)) await utimes(join(folder, name), 0, 0);
    await takeInJournal(database, path);
    expect(await readdir(folder)).toEqual([]);
    expect(await journal.history(entry.uri, { owner: "folder" })).toHaveLength(3);
    await rm(folder, { recursive: true });
  });

  test("is taken in once where its texts are large, also when an earlier version took them in whole", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ikigai-take-in-"));
    const path = join(folder, "journal.jsonl");
    const kept = createFileJournal(path);
    const [before, after] = ["a line of it\n".repeat(3_000), "another line\n".repeat(3_000)];
    await kept.intend({ ...entry, before: { text: before, version: "1" }, after: { text: after, version: "2" } });
    const database = await engine.fresh({ sets: [storeMigrations] });
    const journal = createJournal(database);
    for (const whole of [false, true]) {
      if (whole) {
        const sides = "before_text = $1, before_chunks = null, after_text = $2, after_chunks = null";
        await database.query(`update journal set ${sides}`, [before, after]);
      }
      for (let times = 0; times < 2; times++) await takeInJournal(database, path);
      const records = await journal.history(entry.uri, { owner: "folder" });
      expect(records.map((one) => one.before?.text === before && one.after?.text === after)).toEqual([true]);
    }
    await rm(folder, { recursive: true });
  });

  test("is taken in but for an entry whose text is damaged, which is set aside and told", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ikigai-take-in-"));
    const path = join(folder, "journal.jsonl");
    const kept = createFileJournal(path);
    const text = "a line of it\n".repeat(3_000);
    const damaged = await kept.intend({ ...entry, before: { text, version: "1" }, after: { text: "x", version: "2" } });
    await writeFile(path, (await readFile(path, "utf8")).replace(/"data":"..../, '"data":"AAAA'));
    await kept.intend({ ...entry, after: { text: "whole", version: "" } });
    const database = await engine.fresh({ sets: [storeMigrations] });
    const told: unknown[] = [];
    await takeInJournal(database, path, { onRefused: (error) => void told.push(error) });
    expect(told).toMatchObject([{ code: "unavailable", message: expect.stringContaining(`entry ${damaged} of`) }]);
    expect(await readRefused(path)).toMatchObject({ rows: 1 });
    const records = await createJournal(database).history(entry.uri, { owner: "folder" });
    expect(records.map(({ after }) => after?.text)).toEqual(["whole"]);
    await rm(folder, { recursive: true });
  });

  test("is settled by a row that came while it was taken in", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ikigai-take-in-"));
    const path = join(folder, "journal.jsonl");
    const kept = createFileJournal(path);
    const id = await kept.intend({ ...entry, after: { text: "one", version: "" } });
    const database = await engine.fresh({ sets: [storeMigrations] });
    await takeInJournal(database, path);
    await kept.settle(id, { version: "v1" });
    await takeInJournal(database, path);
    expect(await createJournal(database).history(entry.uri, { owner: "folder" })).toMatchObject([
      { state: "done", after: { version: "v1" } },
    ]);
    await rm(folder, { recursive: true });
  });
});
