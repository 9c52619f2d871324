import type { Envelope } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import { createMemoryFeed, emit, type MemoryFeed, memoryStream } from "@ikigai/core/testing";
import { expect, test } from "vitest";
import { createBlockBench } from "../testing/block-bench.test.helper.ts";
import { createBench, dataOf } from "../testing/text-source.test.helper.ts";
import { createSourceTool } from "./source.ts";

interface Rig extends AsyncDisposable {
  readonly feed: MemoryFeed;
  readonly sources: SourceManager;
  readonly pull: (more?: object) => Promise<Record<string, unknown>>;
  readonly call: (name: string, args: unknown) => Promise<Envelope>;
}

async function openFeed(...texts: readonly string[]): Promise<Rig> {
  const { call, sources } = await createBlockBench();
  const feed = createMemoryFeed();
  await sources.mount({ mount: "feed", source: memoryStream, options: { feed } });
  for (const text of texts) emit(feed, text);
  await new Promise((resolve) => setImmediate(resolve));
  return {
    feed,
    sources,
    call,
    pull: async (more = {}) => dataOf(await call("source", { op: "pull", source_id: "feed", ...more })),
    [Symbol.asyncDispose]: () => sources.close(),
  };
}

test("each event is pulled once, oldest first, and how many are left is told", async () => {
  await using rig = await openFeed("a", "b", "c");
  expect(await rig.pull({ limit: 2 })).toMatchObject({ events: [{ text: "a" }, { text: "b" }], left: 1, missed: 0 });
  expect(await rig.pull()).toMatchObject({ events: [{ text: "c" }], left: 0 });
  expect(await rig.pull()).toMatchObject({ events: [], left: 0 });
  expect(rig.sources.status("feed")[0]).toMatchObject({ taken: "3" });
});

test("a cursor asks for events again and takes nothing", async () => {
  await using rig = await openFeed("a", "b", "c");
  await rig.pull();
  expect(await rig.pull({ after: "1" })).toMatchObject({ events: [{ text: "b" }, { text: "c" }] });
  expect(await rig.pull({ after: "" })).toMatchObject({ events: [{ text: "a" }, { text: "b" }, { text: "c" }] });
  expect(rig.sources.status("feed")[0]).toMatchObject({ taken: "3" });
});

test("a pull that waits answers with the event that comes, and without one when the time is up", async () => {
  await using rig = await openFeed();
  const waiting = rig.pull({ wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  emit(rig.feed, "late");
  expect(await waiting).toMatchObject({ events: [{ text: "late" }] });
  expect(await rig.pull({ wait_ms: 1 })).toMatchObject({ events: [] });
});

test("a waiting pull that is given up ends", async () => {
  await using rig = await openFeed();
  const { registry } = await createBench();
  registry.register([createSourceTool({ sources: rig.sources })]);
  const stop = new AbortController();
  const args = { op: "pull", source_id: "feed", wait_ms: 60_000 };
  const answer = registry.call({ name: "source", arguments: args }, { signal: stop.signal });
  setImmediate(() => stop.abort());
  expect(await answer).toMatchObject({ code: "aborted" });
});

test.each([
  [{ op: "pull" }, "needs source_id"],
  [{ op: "pull", source_id: "feed", limit: 0 }, "limit"],
  [{ op: "list", after: "1" }, "does not take after"],
  [{ op: "pull", source_id: "file" }, "sends no events"],
])("source %j is refused: %s", async (args, words) => {
  await using rig = await openFeed();
  const answer = await rig.call("source", args);
  expect(answer.success).toBe(false);
  expect(JSON.stringify(answer)).toContain(words);
});
