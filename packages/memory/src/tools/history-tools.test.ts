import type { Envelope, Preview } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { type BlockService, createBlocks } from "../blocks/blocks.ts";
import { createFileTools } from "../files/file-tools.ts";
import { journalledSource } from "../journal/journalled-source.ts";
import { createMemoryBlockStore } from "../blocks/memory-block-store.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import { createTextSource } from "../testing/text-source.test.helper.ts";
import { createHistoryTools } from "./history-tools.ts";

/** File and history tools over a journalled source. */
async function open(): Promise<{
  call: (name: string, args: object) => Promise<Envelope>;
  text: (name: string, args: object) => Promise<string>;
  preview: (path: string) => Promise<Preview | undefined>;
  blocks: BlockService;
}> {
  const journal = createMemoryJournal();
  const sources = createSourceManager({
    decorate: (source, mount) =>
      journalledSource(source, { mount, owner: mount, journal: async () => journal, warn: () => {} }),
  });
  for (const mount of ["file", "ikigai"])
    await sources.mount({ mount, source: createTextSource(mount).definition, options: {} });
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  registry.register(createFileTools({ sources }));
  const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
  const tools = createHistoryTools({
    sources,
    blocks,
    journal,
    assetMount: "ikigai",
    ownerOf: (mount) => mount,
    // No asset is stored here, and nothing is pinned.
    assets: { async *list() {}, find: async () => undefined, change: async () => {} },
    pins: { status: async () => ({ pinned: 0, limit: 1, level: "fine", pins: [] }), setLimit: async () => {} },
  });
  registry.register(tools);
  const plan = { agent: "ann", conversation: "c", callId: "1", tool: "undo", signal: AbortSignal.any([]) };
  return {
    blocks,
    preview: async (path) => tools.find(({ name }) => name === "undo")?.preview?.({ path }, plan),
    call: (name, args) => registry.call({ name, arguments: args }),
    async text(name, args) {
      const answer = await registry.call({ name, arguments: args });
      const tool = tools.find((one) => one.name === name);
      const text = answer.success ? tool?.toText?.(answer.data, { input: {} }) : answer.error;
      return typeof text === "string" ? text : "";
    },
  };
}

async function changedTimes(call: (name: string, args: object) => Promise<Envelope>, times: number): Promise<void> {
  await call("file_write", { path: "a.md", content: "0" });
  for (let time = 1; time < times; time++)
    await call("file_edit", { path: "a.md", old: String(time - 1), new: String(time) });
}

test("history shows the newest changes first, and says how many are left out by its limit", async () => {
  const { call, text } = await open();
  await changedTimes(call, 5);
  const answer = await call("history", { path: "a.md", limit: 2 });
  expect(answer).toMatchObject({ data: { left: 3 } });
  expect(await text("history", { path: "a.md", limit: 2 })).toMatch(/\n\[3 more are not shown: give a larger limit\]$/);
  expect((await text("history", { path: "a.md" })).split("\n")).toHaveLength(5);
  expect(await call("history", { path: "a.md", limit: 0 })).toMatchObject({ code: "invalid_input" });
});

test("undo takes the latest change back, and the one before when it is called again", async () => {
  const { call } = await open();
  await changedTimes(call, 3);
  expect(await call("undo", { path: "a.md" })).toMatchObject({ success: true });
  expect(await call("file_read", { path: "a.md" })).toMatchObject({ data: { content: "1" } });
  expect(await call("undo", { path: "a.md" })).toMatchObject({ success: true });
  expect(await call("file_read", { path: "a.md" })).toMatchObject({ data: { content: "0" } });
});

test("undo of a text that nobody changed is refused", async () => {
  const { call } = await open();
  expect((await call("undo", { path: "never.md" })).success).toBe(false);
});

test("whoever is asked about an undo sees what the text was and what it would be again", async () => {
  const { call, preview, blocks } = await open();
  await changedTimes(call, 2);
  expect(await preview("a.md")).toEqual({
    description: expect.stringMatching(/^Take back change \d+ of file:\/\/\/a\.md \(changed\)$/),
    before: "1",
    after: "0",
  });
  const ann = { agent: "ann", conversation: "c", callId: "1", tool: "t" };
  await blocks.define({ label: "plan", type: "working", schema: { kind: "text" } }, ann);
  expect(await preview("plan")).toEqual({ description: "Take the latest change of plan back" });
});
