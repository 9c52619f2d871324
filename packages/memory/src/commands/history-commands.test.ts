import { type Actor, type TextRevision, defineDataBlock, type PlanContext } from "@ikigai/core";
import { createSourceManager, type SourceManager } from "@ikigai/core/host";
import { memorySource } from "@ikigai/core/testing";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createBlocks } from "../blocks/blocks.ts";
import type { Journal } from "../journal/journal.ts";
import { journalledSource } from "../journal/journalled-source.ts";
import { createMemoryBlockStore } from "../blocks/memory-block-store.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import type { CommandCall, CommandContext } from "./command-context.ts";
import { createCommands, findCommand } from "./create-commands.ts";
import { storeCommands } from "./store-commands.ts";

const ann: Actor = { agent: "ann", conversation: "c", callId: "1", tool: "slash_command" };
const planning: PlanContext = { ...ann, signal: new AbortController().signal };
const calling: CommandCall = { ...planning, permit: async () => {} };
const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));
const REVISIONS: readonly TextRevision[] = [
  { version: "c3", at: day(3), text: "one\ntwo\n", author: "Ann", message: "Add two" },
  { version: "b2", at: day(1), text: "one\n", author: "Ben", message: "Begin" },
];

/** A source that can be read only and remembers the states of `a.md`. */
const repository = defineDataBlock({
  name: "repository",
  options: z.object({}),
  capabilities: ["history"],
  open: async () => ({
    read: async (path) => (path === "a.md" ? { text: "one\ntwo\n", version: "c3" } : undefined),
    async *list() {},
    async *history(path) {
      if (path === "a.md") yield* REVISIONS;
    },
  }),
});

let sources: SourceManager;
let journal: Journal;
let context: CommandContext;

beforeEach(async () => {
  journal = createMemoryJournal(() => day(2));
  sources = createSourceManager({
    decorate: (source, mount) =>
      journalledSource(source, { mount, owner: mount, journal: async () => journal, warn: () => {} }),
  });
  for (const mount of ["file", "ikigai"]) await sources.mount({ mount, source: memorySource, options: {} });
  await sources.mount({ mount: "repo", source: repository });
  context = {
    sources,
    blocks: createBlocks({ sources, store: createMemoryBlockStore() }),
    assetMount: "ikigai",
    journal,
    ownerOf: (mount) => mount,
    // No asset is described here, and nothing is pinned.
    assets: { async *list() {}, find: async () => undefined, change: async () => {} },
    pins: { status: async () => ({ pinned: 9, limit: 10, level: "warning", pins: [] }), setLimit: async () => {} },
  };
});

async function run(line: string, used: CommandContext = context): Promise<string> {
  const [name = "", ...args] = line.slice(1).split(" ");
  const commands = createCommands();
  commands.register(storeCommands(used));
  return (await (await findCommand(commands, name).plan(args, planning)).run(calling)).text;
}

async function put(address: string, text: string): Promise<void> {
  const { source, address: at } = sources.route(address);
  await source.write?.(at.path, text, { actor: ann });
}

test("the states that a source remembers are shown between the changes of the journal, by time", async () => {
  const changed = { uri: "repo:///a.md", owner: "repo", agent: "ann", reason: "by a tool" };
  await journal.settle(await journal.intend(changed), {});
  expect((await run("/history repo:///a.md")).split("\n")).toEqual([
    "2026-01-03T00:00:00.000Z  Ann  c3  in repo  Add two",
    expect.stringMatching(/2026-01-02T00:00:00\.000Z {2}ann .*by a tool$/),
    "2026-01-01T00:00:00.000Z  Ben  b2  in repo  Begin",
  ]);
});

test("/diff without an id shows the newest state of a source where the journal has no change", async () => {
  expect(await run("/diff repo:///a.md")).toContain("+two");
});

test("/diff finds a state by the beginning of its version, and an entry of the journal by its number", async () => {
  expect(await run("/diff repo:///a.md b2")).toContain("+one");
  await put("file:///b.md", "text");
  const [entry] = await journal.history("file:///b.md", { owner: "file" });
  expect(await run(`/diff file:///b.md ${entry?.id}`)).toContain("+text");
  await expect(run("/diff repo:///a.md zz")).rejects.toMatchObject({ code: "not_found" });
});

test("an entry of another text is not found under this one", async () => {
  await put("file:///a.md", "a");
  await put("file:///b.md", "b");
  const [entry] = await journal.history("file:///b.md", { owner: "file" });
  await expect(run(`/undo file:///a.md ${entry?.id}`)).rejects.toMatchObject({
    code: "not_found",
    message: `The journal has no entry ${entry?.id} of file:///a.md`,
  });
});

test("undo of a short address that could be a file or a stored text is refused with both", async () => {
  await put("file:///blocks/x", "a file");
  await put("ikigai:///blocks/x.md", "stored");
  await expect(run("/undo blocks/x")).rejects.toMatchObject({
    code: "ambiguous",
    hint: "Write file:///blocks/x or ikigai:///blocks/x.md.",
  });
  expect(await run("/history blocks/x")).toContain("created");
});

test("undo of a short address that was a file and a stored text is refused with both", async () => {
  for (const address of ["file:///blocks/x", "ikigai:///blocks/x"]) {
    await put(address, "text");
    const { source, address: at } = sources.route(address);
    await source.remove?.(at.path, { actor: ann });
  }
  await expect(run("/undo blocks/x")).rejects.toMatchObject({
    code: "ambiguous",
    message: expect.stringContaining("both were there"),
  });
});

test("a host that does not write the prompt says what pinning means there", async () => {
  await put("ikigai:///blocks/x.md", "stored");
  const pinsMean = "Clients fetch what is pinned themselves.";
  const compact = async () => ({ text: "", tokensBefore: 1, tokensAfter: 0 });
  const commands = storeCommands({ ...context, pinsMean });
  expect(commands.find(({ name }) => name === "pin")?.description).toBe(
    `Marks an asset or a block as always needed. ${pinsMean}`,
  );
  expect(await run("/pin blocks/x", { ...context, pinsMean, compact })).toBe(
    `Pinned blocks/x. 9 of 10 tokens are pinned (warning). Use /compact or /unpin to free space. ${pinsMean}`,
  );
});
