import { type Actor, type Effect, IkigaiError } from "@ikigai/core";
import { type Command, createSourceManager, type SourceManager } from "@ikigai/core/host";
import { memorySource } from "@ikigai/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { createBlocks } from "../blocks/blocks.ts";
import { journalledSource } from "../journal/journalled-source.ts";
import { createMemoryBlockStore } from "../blocks/memory-block-store.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import type { CommandCall, CommandContext } from "./command-context.ts";
import { createCommands, findCommand } from "./create-commands.ts";
import { storeCommands } from "./store-commands.ts";

const ann: Actor = { agent: "ann", conversation: "c", callId: "1", tool: "slash_command" };
const { signal } = new AbortController();
let sources: SourceManager;
let context: CommandContext;
let permitted: Effect[];
let calling: CommandCall;

beforeEach(async () => {
  const journal = createMemoryJournal(() => new Date(0));
  permitted = [];
  calling = { ...ann, signal, permit: async (effects) => void permitted.push(...effects) };
  sources = createSourceManager({
    decorate: (source, mount) =>
      journalledSource(source, { mount, owner: mount, journal: async () => journal, warn: () => {} }),
  });
  for (const mount of ["file", "ikigai"]) await sources.mount({ mount, source: memorySource, options: {} });
  const read = async (path: string) => sources.route(`ikigai:///${path}`).source.read(path);
  context = {
    sources,
    blocks: createBlocks({ sources, store: createMemoryBlockStore() }),
    assetMount: "ikigai",
    journal,
    ownerOf: (mount) => mount,
    pins: { status: async () => ({ pinned: 0, limit: 1, level: "fine", pins: [] }), setLimit: async () => {} },
    assets: {
      async *list() {},
      find: async () => undefined,
      async change(path, { text, expected }, actor) {
        if (expected !== undefined && (await read(path))?.version !== expected) throw new IkigaiError("conflict", path);
        if (text !== undefined) await put(`ikigai:///${path}`, text, actor);
      },
    },
    compact: async () => ({ text: "short", tokensBefore: 2, tokensAfter: 1 }),
  };
  await put("ikigai:///blocks/notes.md", "notes");
});

async function put(place: string, text: string, actor: Actor = ann): Promise<void> {
  const { source, address } = sources.route(place);
  await source.write?.(address.path, text, { actor });
}
async function textAt(place: string): Promise<string | undefined> {
  const { source, address } = sources.route(place);
  return (await source.read(address.path))?.text;
}
function commandOf(name: string): Command {
  const commands = createCommands();
  commands.register(storeCommands(context));
  return findCommand(commands, name);
}

describe("a text that was changed after the command was judged", () => {
  test.each([
    ["assets", ["delete", "notes"]],
    ["assets", ["edit", "notes", "--text", "mine"]],
    ["forget", ["notes"]],
    ["compact", ["notes"]],
    ["undo", ["notes"]],
  ])("is left alone by /%s %j, and named", async (name, args) => {
    const plan = await commandOf(name).plan(args, { ...ann, signal });
    expect(plan.effects.at(-1)?.target).toBe("ikigai:///blocks/notes.md");
    await put("ikigai:///blocks/notes.md", "theirs");
    await expect(plan.run(calling)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("ikigai:///blocks/notes.md was changed"),
    });
    expect(await textAt("ikigai:///blocks/notes.md")).toBe("theirs");
  });

  test.each([
    ["assets", ["delete", "notes"]],
    ["pin", ["notes"]],
    ["undo", ["notes"]],
  ])("is not exchanged by /%s %j for one that appeared under the same short name", async (name, args) => {
    const plan = await commandOf(name).plan(args, { ...ann, signal });
    await put("ikigai:///notes.md", "a stranger");
    await put("file:///notes", "a stranger");
    await plan.run(calling);
    expect(await textAt("ikigai:///notes.md")).toBe("a stranger");
    expect(await textAt("file:///notes")).toBe("a stranger");
  });
});

test("an edit of a block after its /undo was judged refuses the undo", async () => {
  await context.blocks.define({ label: "plan", type: "working", schema: { kind: "text" } }, ann);
  await context.blocks.edit("plan", { op: "append", content: "one" }, ann);
  const plan = await commandOf("undo").plan(["plan"], { ...ann, signal });
  await context.blocks.edit("plan", { op: "append", content: "two" }, ann);
  await expect(plan.run(calling)).rejects.toMatchObject({ code: "conflict", message: /"plan" was edited/ });
  expect(await context.blocks.text("plan", ann)).toBe("onetwo");
});

test("an undo that another call made meanwhile is named", async () => {
  const first = await commandOf("undo").plan(["notes"], { ...ann, signal });
  const second = await commandOf("undo").plan(["notes"], { ...ann, signal });
  expect(first.preview).toMatchObject({ before: "notes", after: "" });
  await first.run(calling);
  await expect(second.run(calling)).rejects.toMatchObject({ code: "conflict", message: /taken back by another call/ });
});

describe("/remember", () => {
  const REMEMBERED = "ikigai:///blocks/remembered.md";

  test("adds to what another made meanwhile, once that is permitted", async () => {
    const plan = await commandOf("remember").plan(["mine"], { ...ann, signal });
    expect(plan.effects.at(-1)).toEqual({ action: "create", target: REMEMBERED });
    await put(REMEMBERED, "theirs\n");
    await plan.run(calling);
    expect(permitted).toEqual([{ action: "append", target: REMEMBERED }]);
    expect(await textAt(REMEMBERED)).toBe("theirs\n- mine\n");
  });

  test("writes nothing that is not permitted", async () => {
    const plan = await commandOf("remember").plan(["mine"], { ...ann, signal });
    await put(REMEMBERED, "theirs\n");
    const permit = () => Promise.reject(new IkigaiError("permission_denied", "no"));
    await expect(plan.run({ ...calling, permit })).rejects.toMatchObject({ code: "permission_denied" });
    expect(await textAt(REMEMBERED)).toBe("theirs\n");
  });

  test("keeps every sentence of parallel calls", async () => {
    await put(REMEMBERED, "# Remembered\n");
    const sentences = Array.from({ length: 8 }, (_, index) => `sentence ${index}`);
    const plans = await Promise.all(sentences.map((one) => commandOf("remember").plan([one], { ...ann, signal })));
    await Promise.all(plans.map((plan) => plan.run(calling)));
    const lines = (await textAt(REMEMBERED))?.trim().split("\n").slice(1);
    expect(lines?.toSorted()).toEqual(sentences.map((one) => `- ${one}`));
  });

  test("gives up on a text that changes at every try", async () => {
    const plan = await commandOf("remember").plan(["mine"], { ...ann, signal });
    const { source } = sources.route(REMEMBERED);
    Object.assign(source, { write: () => Promise.reject(new IkigaiError("conflict", "busy")) });
    await expect(plan.run(calling)).rejects.toMatchObject({ code: "conflict", message: "busy" });
  });
});

test.each([
  ["forget", []],
  ["assets", ["edit"]],
])("/%s takes stored assets only", async (name, words) => {
  await put("file:///a.md", "a file");
  await expect(commandOf(name).plan([...words, "file:///a.md"], { ...ann, signal })).rejects.toMatchObject({
    code: "invalid_input",
    message: "file:///a.md is no stored asset",
  });
});

test("an error that is no conflict is passed on", async () => {
  const plan = await commandOf("forget").plan(["notes"], { ...ann, signal });
  context.assets.change = () => Promise.reject(new IkigaiError("unavailable", "no store"));
  await expect(plan.run(calling)).rejects.toMatchObject({ code: "unavailable" });
});
