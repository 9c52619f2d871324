import { fileURLToPath } from "node:url";
import type { Database } from "@ikigai/database";
import { startChild, type TestEngine } from "@ikigai/database/testing";
import { expect } from "vitest";
import type { RecallEntry } from "../contract.ts";
import { recallMigrations } from "./migrations.ts";
import { createPostgresRecall } from "./postgres-recall.ts";

const INSERTER = fileURLToPath(new URL("../../fixtures/inserter.mjs", import.meta.url));
const WRITERS = ["a", "b", "c", "d"];
const SHARED = 50;

/** Four processes insert at once and search meanwhile: all is there, each once, and each finds what it has stored. */
export async function expectAllOnce(engine: TestEngine, entries: number): Promise<void> {
  const database = await engine.fresh({ sets: [{ name: "recall", migrations: recallMigrations }] });
  const children = WRITERS.map((writer) =>
    startChild(INSERTER, engine.optionsOf(database), { owner: "ann", writer, entries, shared: SHARED }),
  );
  const said = (await Promise.all(children.map((child) => child.next()))) as { stored: number; missed: number }[];
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual(WRITERS.map(() => 0));
  const expected = WRITERS.length * entries + SHARED / 10;
  expect(said.reduce((sum, { stored }) => sum + stored, 0)).toBe(expected);
  expect(said.map(({ missed }) => missed)).toEqual(WRITERS.map(() => 0));
  const contents = await contentsOf(database);
  expect(contents).toHaveLength(expected);
  expect(new Set(contents).size).toBe(expected);
  expect(await createPostgresRecall(database).status({ owner: "ann" })).toEqual({ entries: expected });
}

async function contentsOf(database: Database): Promise<string[]> {
  const store = createPostgresRecall(database);
  const contents: string[] = [];
  let after = "0";
  for (;;) {
    const page: readonly RecallEntry[] = await store.scan({ after }, { owner: "ann" });
    if (page.length === 0) return contents;
    contents.push(...page.map(({ content }) => content));
    after = page.at(-1)?.id ?? after;
  }
}
