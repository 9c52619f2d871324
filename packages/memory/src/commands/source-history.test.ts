import { type Actor, type TextRevision, defineDataBlock } from "@ikigai/core";
import { createSourceManager, type Route } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { z } from "zod";
import type { JournalRecord } from "../journal/journal.ts";
import { revisionLine, sourceDiff, sourceHistory } from "./source-history.ts";

const actor: Actor = { agent: "ada", conversation: "one", callId: "1", tool: "t" };
const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
const REVISIONS: readonly TextRevision[] = [
  { version: "c3", at: at(3), text: "one\ntwo\n", author: "Ann", message: "Add two\n\nAt length." },
  { version: "b2", at: at(2), text: "one\n" },
];

async function routeTo(revisions: readonly TextRevision[] | undefined): Promise<Route> {
  const sources = createSourceManager();
  const reader = { read: async () => undefined, async *list() {} };
  const plain = defineDataBlock({
    name: "plain",
    options: z.object({}),
    capabilities: [],
    open: async () => reader,
  });
  const remembering = defineDataBlock({
    name: "remembering",
    options: z.object({}),
    capabilities: ["history"],
    open: async () => ({
      ...reader,
      async *history() {
        yield* revisions ?? [];
      },
    }),
  });
  await sources.mount({ mount: "m", source: revisions === undefined ? plain : remembering });
  return sources.route("m:///a");
}

test("the states of a source are told in lines, without what the journal knows", async () => {
  const route = await routeTo(REVISIONS);
  expect((await sourceHistory(route, actor, [])).map(revisionLine)).toEqual([
    "2026-01-03T00:00:00.000Z  Ann  c3  in m  Add two",
    "2026-01-02T00:00:00.000Z  -  b2  in m",
  ]);
  const record = { before: { text: "", version: "a1" }, after: { text: "", version: "c3" } } as JournalRecord;
  expect((await sourceHistory(route, actor, [record])).map(({ version }) => version)).toEqual(["b2"]);
});

test("no more states than can be shown are read", async () => {
  const many = Array.from({ length: 150 }, (_, index) => ({ version: `v${index}`, at: at(1), text: "" }));
  expect(await sourceHistory(await routeTo(many), actor, [])).toHaveLength(100);
});

test("a source without history has none, and no diff", async () => {
  const route = await routeTo(undefined);
  expect(await sourceHistory(route, actor, [])).toEqual([]);
  expect(await sourceDiff(route, actor)).toBeUndefined();
});

test("the diff of a state is against the one before it, and of the first against nothing", async () => {
  const route = await routeTo(REVISIONS);
  expect(await sourceDiff(route, actor)).toContain("+two");
  expect(await sourceDiff(route, actor, "b")).toContain("+one");
  expect(await sourceDiff(route, actor, "zz")).toBeUndefined();
});
