import { randomUUID } from "node:crypto";
import { type Actor, type Effect, IkigaiError, type PlanContext } from "@ikigai/core";
import {
  type Commands,
  createPolicy,
  createSourceManager,
  createToolRegistry,
  type SourceManager,
} from "@ikigai/core/host";
import { memorySource } from "@ikigai/core/testing";
import { array, assert, asyncProperty, property, string, stringMatching } from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { createBlocks } from "../blocks/blocks.ts";
import type { Journal, JournalFields } from "../journal/journal.ts";
import { journalledSource } from "../journal/journalled-source.ts";
import { createMemoryBlockStore } from "../blocks/memory-block-store.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import type { AssetEntry, BudgetStatus } from "../pins/pins.ts";
import { createSlashCommandTool } from "../tools/slash-command.ts";
import { commandArguments, commandLine, commandWords } from "./command-words.ts";
import type { CommandCall, CommandContext } from "./command-context.ts";
import { createCommands, findCommand } from "./create-commands.ts";
import { describeStoreCommands, storeCommands } from "./store-commands.ts";

const ann: Actor = { agent: "ann", conversation: "c", callId: "1", tool: "slash_command" };
const planning: PlanContext = { ...ann, signal: new AbortController().signal };
const calling: CommandCall = { ...planning, permit: async () => {} };
let sources: SourceManager;
let commands: Commands;
let journal: Journal;
let pinned: Map<string, number>;
let limit: number;
let details: Map<string, JournalFields>;
let sharer: string;
let context: CommandContext;

beforeEach(async () => {
  journal = createMemoryJournal(() => new Date(0));
  pinned = new Map();
  details = new Map();
  sharer = "ikigai";
  limit = 100;
  sources = createSourceManager({
    decorate: (source, mount) =>
      journalledSource(source, { mount, owner: mount, journal: async () => journal, warn: () => {} }),
  });
  for (const mount of ["file", "ikigai"]) await sources.mount({ mount, source: memorySource, options: {} });
  context = {
    sources,
    blocks: createBlocks({ sources, store: createMemoryBlockStore() }),
    assetMount: "ikigai",
    journal,
    ownerOf: (mount) => mount,
    pins: {
      async status(): Promise<BudgetStatus> {
        const total = [...pinned.values()].reduce((sum, one) => sum + one, 0);
        const pins = [...pinned].map(([uri, tokens]) => ({
          uri,
          tokens,
          owner: "ann",
          version: "1",
          behind: uri.includes("old"),
        }));
        return { pinned: total, limit, level: total >= limit * 0.8 ? "warning" : "fine", pins };
      },
      setLimit: async (_, tokens) => void (limit = tokens),
    },
    assets: {
      async *list(_, prefix, { archived = false } = {}) {
        const { source } = sources.routePrefix("ikigai:///");
        for await (const { path } of source.list(prefix)) {
          const entry = entryOf(path);
          if (archived || !entry.archived) yield entry;
        }
      },
      async find(_, path) {
        const found = await sources.route(`ikigai:///${path}`).source.read(path);
        return found && { ...entryOf(path), version: found.version, owner: sharer, pinned: pinned.has(uriOf(path)) };
      },
      async change(path, { text, fields = {}, expected, reason, undoes }, actor) {
        const { source } = sources.route(uriOf(path));
        const because = { ...(reason !== undefined && { reason }), ...(undoes !== undefined && { undoes }) };
        if (text !== undefined)
          await source.write?.(path, text, { actor, ...because, ...(expected !== undefined && { expected }) });
        const present = { ...entryOf(path), pinned: pinned.has(uriOf(path)) };
        const names = (Object.keys(fields) as (keyof JournalFields)[]).filter((name) => fields[name] !== present[name]);
        const only = (from: JournalFields): JournalFields =>
          Object.fromEntries(names.map((name) => [name, from[name]]));
        details.set(path, { ...details.get(path), ...fields });
        if (fields.pinned === true) pinned.set(uriOf(path), 40);
        if (fields.pinned === false) pinned.delete(uriOf(path));
        if (names.length === 0) return;
        const entry = { uri: uriOf(path), owner: "ikigai", agent: actor.agent, actor, ...because };
        await journal.settle(
          await journal.intend({ ...entry, fields: { before: only(present), after: only(fields) } }),
          {},
        );
      },
    },
  };
  commands = createCommands();
  commands.register(storeCommands(context));
  await put("ikigai:///skills/ddd.md", "domain");
  await put("ikigai:///blocks/notes.md", "notes");
});

const uriOf = (path: string): string => `ikigai:///${path}`;
function entryOf(path: string): AssetEntry {
  const described = path.includes("ddd") ? { description: "how we model" } : { description: "" };
  const fields = { category: "block", readOnly: false, archived: false, ...described, ...details.get(path) };
  return { path, tokens: 10, updatedAt: new Date(0), ...fields };
}
async function put(address: string, text: string, callId: string = randomUUID()): Promise<void> {
  const { source, address: at } = sources.route(address);
  await source.write?.(at.path, text, { actor: { ...ann, callId } });
}
async function textAt(address: string): Promise<string | undefined> {
  const { source, address: at } = sources.route(address);
  return (await source.read(at.path))?.text;
}
async function run(line: string): Promise<string> {
  const [, name = "", rest = ""] = /^\/(\S+)([^]*)$/.exec(line) ?? [];
  const found = findCommand(commands, name);
  return (await (await found.plan(commandArguments(found, rest), planning)).run(calling)).text;
}
async function effectsOf(name: string, args: readonly string[]): Promise<readonly Effect[]> {
  return (await findCommand(commands, name).plan(args, planning)).effects;
}

/** What a command declares besides looking. */
async function changesOf(name: string, args: readonly string[]): Promise<readonly Effect[]> {
  return (await effectsOf(name, args)).filter(({ action }) => action !== "read");
}

describe("pins", () => {
  test("shorthand finds the asset by its name, with .md, and under blocks/", async () => {
    expect(await run("/pin skills/ddd")).toBe("Pinned skills/ddd. 40 of 100 tokens are pinned.");
    await run("/pin notes");
    expect([...pinned.keys()]).toEqual(["ikigai:///skills/ddd.md", "ikigai:///blocks/notes.md"]);
    expect(await run("/pinned")).toMatch(
      / 40 {2}ikigai:\/\/\/skills\/ddd\.md\n.*\n80 of 100 tokens are pinned \(warning\)\. Use \/unpin/,
    );
    await run("/unpin ikigai:///skills/ddd.md");
    expect([...pinned.keys()]).toEqual(["ikigai:///blocks/notes.md"]);
    await expect(run("/unpin skills/ddd")).rejects.toMatchObject({ code: "not_found" });
    await expect(run("/pin nothing")).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("ikigai:///nothing.md"),
    });
  });

  test("a block is pinned by its label", async () => {
    await context.blocks.define({ label: "plan", type: "working", schema: { kind: "text" } }, ann);
    await run("/pin plan");
    expect((await context.blocks.info("plan", ann)).pinned).toBe(true);
    expect(await run("/blocks")).toMatch(/plan {2}working, pinned/);
    await run("/unpin plan");
    expect((await context.blocks.info("plan", ann)).pinned).toBe(false);
    expect(await run("/blocks")).toMatch(/plan {2}working$/);
  });

  test("a block is pinned by the place that it was loaded from, unless an asset has that name", async () => {
    await context.sources.route("file:///plan.md").source.write?.("plan.md", "a plan");
    await expect(run("/pin file:///plan.md")).rejects.toMatchObject({ code: "not_found", hint: /Load it/ });
    const { label } = await context.blocks.load("plan.md", ann);
    for (const place of ["file:///plan.md", "plan.md"]) {
      await run(`/pin ${place}`);
      expect((await context.blocks.info(label, ann)).pinned).toBe(true);
      await run(`/unpin ${place}`);
      expect((await context.blocks.info(label, ann)).pinned).toBe(false);
    }
  });

  test("what grew past the budget is said to be behind", async () => {
    pinned.set("ikigai:///blocks/old.md", 10);
    expect(await run("/pinned")).toContain("an older version");
  });

  test("the budget is shown and set", async () => {
    expect(await run("/budget")).toBe("0 of 100 tokens are pinned.");
    expect(await run("/budget 500")).toBe("0 of 500 tokens are pinned.");
    await expect(run("/budget many")).rejects.toMatchObject({ code: "invalid_input" });
    expect(await changesOf("budget", ["500"])).toMatchObject([{ action: "admin" }]);
    expect(await changesOf("budget", [])).toEqual([]);
  });
});

describe("assets", () => {
  test("are listed with their tokens and descriptions", async () => {
    expect(await run("/assets list skills/")).toBe("      10  ikigai:///skills/ddd.md  block  how we model");
    expect(await run("/assets list none/")).toBe("There are no assets.");
    expect(await run("/assets")).toContain("blocks/notes.md");
    await expect(run("/assets burn")).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("a deleted one comes back by undo", async () => {
    expect(await changesOf("assets", ["delete", "skills/ddd"])).toEqual([
      { action: "delete", target: "ikigai:///skills/ddd.md" },
    ]);
    await expect(effectsOf("assets", ["delete"])).rejects.toMatchObject({ code: "invalid_input" });
    await expect(run("/assets delete")).rejects.toMatchObject({ code: "invalid_input" });
    await run("/assets delete skills/ddd");
    expect(await textAt("ikigai:///skills/ddd.md")).toBeUndefined();
    expect(await changesOf("undo", ["ikigai:///skills/ddd.md"])).toMatchObject([{ action: "create" }]);
    expect(await run("/diff ikigai:///skills/ddd.md")).toContain("-domain");
    await run("/undo skills/ddd");
    expect(await textAt("ikigai:///skills/ddd.md")).toBe("domain");
  });

  test("forgetting unpins and archives, erases nothing, and is taken back by undo", async () => {
    await run("/pin skills/ddd");
    await run("/forget skills/ddd");
    expect(pinned.size).toBe(0);
    expect(await run("/assets list skills/")).toBe("There are no assets.");
    expect(await run("/assets list skills/ --archived")).toContain("block, archived  how we model");
    expect(await textAt("ikigai:///skills/ddd.md")).toBe("domain");
    expect(await changesOf("forget", ["skills/ddd"])).toMatchObject([{ action: "update" }]);
    expect(await run("/history skills/ddd")).toMatch(/archived, unpinned {2}forget\n.* pinned\n.*created$/);
    expect(await run("/diff skills/ddd")).toMatch(/-archived: false\n-pinned: true\n\+archived: true\n\+pinned: false/);
    expect(await changesOf("undo", ["skills/ddd"])).toMatchObject([{ action: "update" }]);
    expect(await run("/undo skills/ddd")).toContain("(archived, unpinned)");
    expect([...pinned.keys()]).toEqual(["ikigai:///skills/ddd.md"]);
    expect(await run("/assets list skills/")).toContain("skills/ddd.md");
    expect(await run("/undo skills/ddd")).toContain("(pinned)");
    expect(pinned.size).toBe(0);
    expect(await textAt("ikigai:///skills/ddd.md")).toBe("domain");
  });

  test("what was changed since is not taken back", async () => {
    await run("/pin skills/ddd");
    const [entry] = await journal.history("ikigai:///skills/ddd.md", { owner: "ikigai" });
    await run("/unpin skills/ddd");
    await expect(run(`/undo skills/ddd ${entry?.id}`)).rejects.toMatchObject({ code: "conflict" });
  });

  test("what was marked otherwise since, or is gone, is not marked back by undo", async () => {
    await run("/pin skills/ddd");
    pinned.clear();
    await expect(run("/undo skills/ddd")).rejects.toMatchObject({ code: "conflict" });
    pinned.set(uriOf("skills/ddd.md"), 40);
    const [latest] = await journal.history(uriOf("skills/ddd.md"), { owner: "ikigai" });
    await run("/assets delete skills/ddd");
    await expect(run(`/undo ikigai:///skills/ddd.md ${latest?.id}`)).rejects.toMatchObject({ code: "conflict" });
  });

  test("a change outside any call is taken back alone", async () => {
    const { source } = sources.route("ikigai:///blocks/notes.md");
    await source.write?.("blocks/notes.md", "by hand");
    expect(await run("/undo ikigai:///blocks/notes.md")).toContain("(changed)");
    expect(await textAt("ikigai:///blocks/notes.md")).toBe("notes");
  });

  test("one is edited: text, description, category and read-only", async () => {
    expect(await changesOf("assets", ["edit", "skills/ddd"])).toEqual([]);
    const shown = await (await findCommand(commands, "assets").plan(["edit", "skills/ddd"], planning)).run(calling);
    expect(shown).toMatchObject({ data: { uri: "ikigai:///skills/ddd.md", text: "domain", category: "block" } });
    expect(await changesOf("assets", ["edit", "skills/ddd", "--text", "x"])).toMatchObject([{ action: "update" }]);
    expect(await changesOf("assets", ["edit", "skills/ddd", "--read-only=no"])).toMatchObject([{ action: "admin" }]);
    await run('/assets edit skills/ddd --text "first\nsecond" --description "two  lines" --category skill');
    expect(await textAt("ikigai:///skills/ddd.md")).toBe("first\nsecond");
    expect(await run("/assets list skills/")).toContain("skill  two lines");
    await run("/assets edit skills/ddd --read-only yes");
    expect(await run("/assets list skills/")).toContain("skill, read-only");
    expect(await changesOf("undo", ["skills/ddd"])).toMatchObject([{ action: "admin" }]);
    expect(await run("/history skills/ddd")).toMatch(
      /made read-only {2}edit\n.*category skill, description "two lines"/,
    );
    await expect(run("/assets edit skills/ddd --text x --expected 77")).rejects.toMatchObject({ code: "conflict" });
  });

  test.each([
    "/assets edit",
    "/assets edit a b",
    "/assets edit skills/ddd --text",
    "/assets edit skills/ddd --colour red",
    "/assets edit skills/ddd --text a --text b",
    "/assets edit skills/ddd --category poem",
    "/assets edit skills/ddd --read-only maybe",
    "/assets list a b",
  ])("%s is refused and changes nothing", async (line) => {
    await expect(run(line)).rejects.toMatchObject({ code: "invalid_input" });
    expect(details.size).toBe(0);
  });

  test("what is remembered is added, one line each", async () => {
    expect(await changesOf("remember", ["x"])).toMatchObject([{ action: "create" }]);
    await run("/remember Tests run with npm");
    await put("ikigai:///blocks/remembered.md", `${await textAt("ikigai:///blocks/remembered.md")}- by hand`);
    await run('/remember "second\nline"');
    expect(await textAt("ikigai:///blocks/remembered.md")).toBe(
      "# Remembered\n- Tests run with npm\n- by hand\n- second line\n",
    );
    await expect(run("/remember")).rejects.toMatchObject({ code: "invalid_input" });
    expect(await changesOf("remember", ["x"])).toMatchObject([{ action: "append" }]);
  });

  test("any printable sentence is remembered as it was given, bare or quoted", async () => {
    const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
    registry.register([createSlashCommandTool(commands)]);
    const say = (command: string): Promise<unknown> =>
      registry.call({ name: "slash_command", arguments: { command } }, { agent: "ann" });
    const stored = async (command: string): Promise<string | undefined> => {
      expect(await say(command)).toMatchObject({ success: true });
      return (await textAt("ikigai:///blocks/remembered.md"))?.split("\n").at(-2)?.slice(2);
    };
    for (const sentence of [
      "The user's dog is called Rex",
      "don't use `rm -rf`; it's bad",
      `say "a" and 'b', and "c`,
      "two  spaces\tand a tab",
      "C:\\new\\table",
    ]) {
      expect(await stored(`/remember ${sentence}`)).toBe(sentence);
      expect(await stored(commandLine("remember", [sentence]))).toBe(sentence);
    }
    expect(await stored('/remember "Tests run in C:\\temp"')).toBe("Tests run in C:\\temp");
    expect(await stored(`/remember 'single quotes stay'`)).toBe("'single quotes stay'");
    const printable = stringMatching(/^[ -~¡-퟿]{1,40}$/u)
      .map((text) => text.trim())
      .filter((text) => text !== "");
    await assert(
      asyncProperty(printable, async (sentence) => {
        expect(await stored(commandLine("remember", [sentence]))).toBe(sentence);
        if (!sentence.startsWith('"')) expect(await stored(`/remember ${sentence}`)).toBe(sentence);
      }),
      { numRuns: 50 },
    );
    expect(await say('/remember ""')).toMatchObject({ code: "invalid_input" });
  });
});

describe("history", () => {
  test("is the same for files and assets, and undo goes back step by step", async () => {
    for (const text of ["one", "two", "three"]) await put("src/a.ts", text);
    expect((await run("/history src/a.ts")).split("\n")).toHaveLength(3);
    expect(await run("/diff src/a.ts")).toContain("+three");
    await run("/undo src/a.ts");
    expect(await textAt("src/a.ts")).toBe("two");
    await run("/undo src/a.ts");
    expect(await textAt("src/a.ts")).toBe("one");
    expect(await changesOf("undo", ["src/a.ts"])).toEqual([{ action: "delete", target: "file:///src/a.ts" }]);
    await run("/undo src/a.ts");
    expect(await textAt("src/a.ts")).toBeUndefined();
    await expect(run("/undo src/a.ts")).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("nothing more"),
    });
    await expect(run("/undo never.ts")).rejects.toMatchObject({ message: expect.stringContaining("no change") });
    expect(await run("/history src/a.ts")).toContain("undo of");
  });

  describe("of a call that changed several texts", () => {
    beforeEach(async () => {
      await put("N2.md", "note");
      await put("linker.md", "[[N2]]");
      await put("N3.md", "note", "rename");
      await put("linker.md", "[[N3]]", "rename");
      const { source } = sources.route("N2.md");
      await source.remove?.("N2.md", { actor: { ...ann, callId: "rename" } });
    });

    test("is taken back as a whole, and says what it took back", async () => {
      expect(await changesOf("undo", ["N3.md"])).toEqual([
        { action: "create", target: "file:///N2.md" },
        { action: "update", target: "file:///linker.md" },
        { action: "delete", target: "file:///N3.md" },
      ]);
      const said = (await run("/undo N3.md")).split("\n");
      expect(said).toEqual([
        expect.stringContaining("file:///N2.md (removed)"),
        expect.stringContaining("file:///linker.md (changed)"),
        expect.stringContaining("file:///N3.md (created)"),
      ]);
      expect(await textAt("N2.md")).toBe("note");
      expect(await textAt("N3.md")).toBeUndefined();
      expect(await textAt("linker.md")).toBe("[[N2]]");
      await expect(run("/undo N3.md")).rejects.toMatchObject({ code: "not_found" });
      expect(await run("/undo linker.md")).toContain("linker.md (created)");
    });

    test("is not touched when one of them changed since", async () => {
      await put("linker.md", "mine");
      await expect(run("/undo N3.md")).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("linker.md"),
      });
      expect(await textAt("N2.md")).toBeUndefined();
      expect(await textAt("N3.md")).toBe("note");
    });

    test("says how far it came when it cannot go on", async () => {
      const { source } = sources.route("linker.md");
      const write = source.write?.bind(source);
      source.write = async (path, ...rest) => {
        if (path === "linker.md") throw new IkigaiError("unavailable", "The disk is gone");
        return write?.(path, ...rest) as ReturnType<NonNullable<typeof write>>;
      };
      await expect(run("/undo N3.md")).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(/^The disk is gone\. Before that: Took back change \d+ of file:\/\/\/N2\.md/),
        hint: expect.stringContaining("/history"),
      });
      expect(await textAt("N2.md")).toBe("note");
      expect(await textAt("N3.md")).toBe("note");
    });

    test("leaves out what is another's and what is undone already", async () => {
      const records = await journal.ofCall("rename");
      const theirs = { ...journal, ofCall: async () => records.map((one) => ({ ...one, owner: "somebody" })) };
      context = { ...context, journal: theirs };
      commands = createCommands();
      commands.register(storeCommands(context));
      expect(await run("/undo N3.md")).toMatch(/^Took back change \d+ of file:\/\/\/N3\.md \(created\)\.$/);
      expect(await textAt("linker.md")).toBe("[[N3]]");
    });
  });

  test("undo of one entry by id refuses when something changed since", async () => {
    await put("src/a.ts", "one");
    await put("src/a.ts", "two");
    const [, first] = await journal.history("file:///src/a.ts", { owner: "file" });
    expect(await run(`/diff src/a.ts ${first?.id}`)).toContain("+one");
    await expect(run(`/undo src/a.ts ${first?.id}`)).rejects.toMatchObject({ code: "conflict" });
    await expect(run("/undo src/a.ts 999")).rejects.toMatchObject({ code: "not_found" });
    expect(await changesOf("undo", ["src/a.ts"])).toMatchObject([{ action: "update" }]);
  });

  test("a bare name that is no file means the asset", async () => {
    expect(await run("/history skills/ddd")).toContain("created");
    expect(await run("/diff notes")).toContain("ikigai:///blocks/notes.md");
    expect(await run("/history /elsewhere").catch((error: unknown) => (error as IkigaiError).code)).toBe(
      "permission_denied",
    );
    expect(await run("/history never.txt")).toContain("was not changed");
    await expect(run("/diff never.txt")).rejects.toMatchObject({ code: "not_found" });
  });

  test("says what is no longer kept, and does not undo it", async () => {
    await put("src/a.ts", "one");
    const pruned = async () => ({ count: 3, lastId: "90", until: new Date(0) });
    context = { ...context, journal: { ...journal, pruned } };
    commands = createCommands();
    commands.register(storeCommands(context));
    expect(await run("/history src/a.ts")).toMatch(/created\n +3 earlier entries up to 1970-01-01/);
    await run("/undo src/a.ts");
    const gone = { code: "not_found", message: expect.stringContaining("no longer kept") };
    await expect(run("/undo src/a.ts")).rejects.toMatchObject(gone);
    await expect(run("/undo src/a.ts 80")).rejects.toMatchObject(gone);
    await expect(run("/diff never.ts")).rejects.toMatchObject(gone);
    await expect(run("/undo src/a.ts 91")).rejects.toMatchObject({ message: expect.stringContaining("no entry") });
    const broken = { ...journal, get: () => Promise.reject(new Error("boom")) };
    commands = createCommands();
    commands.register(storeCommands({ ...context, journal: broken }));
    await expect(run("/undo src/a.ts 80")).rejects.toThrow("boom");
  });

  test("of a shared asset is there for whom it is shared with", async () => {
    sharer = "bob";
    await journal.settle(
      await journal.intend({ uri: "ikigai:///skills/ddd.md", owner: "bob", agent: "bob", reason: "theirs" }),
      {},
    );
    expect(await run("/history skills/ddd")).toContain("theirs");
  });

  test("a change that was announced and never made is passed over by undo, one that was made is not", async () => {
    await put("src/a.ts", "one");
    await put("src/a.ts", "two");
    const entry = { uri: "file:///src/a.ts", owner: "file", agent: "ann" };
    const state = (text: string): { text: string; version: string } => ({ text, version: "" });
    await journal.intend({ ...entry, before: state("two"), after: state("never") });
    expect(await run("/undo src/a.ts")).toContain("(changed)");
    expect(await textAt("src/a.ts")).toBe("one");
    await journal.intend({ ...entry, before: state("zero"), after: state("one") });
    expect(await run("/undo src/a.ts")).toContain("(changed)");
    expect(await textAt("src/a.ts")).toBe("zero");
  });

  test("a change whose end is not known says so", async () => {
    await journal.intend({ uri: "file:///b", owner: "file", agent: "ann", before: { text: "x", version: "1" } });
    expect(await run("/history b")).toMatch(/- {2}removed {2}\(announced/);
  });

  test("of a block is its own, and so is its undo", async () => {
    await context.blocks.define(
      { label: "plan", type: "working", schema: { kind: "text" }, initial: { content: "a" } },
      ann,
    );
    await context.blocks.edit("plan", { op: "append", content: "b" }, ann);
    expect(await run("/history plan")).toContain("append");
    expect(await changesOf("undo", ["plan"])).toEqual([{ action: "update", target: "block:///plan" }]);
    await run("/undo plan");
    expect(await context.blocks.text("plan", ann)).toBe("a");
    await expect(run("/diff plan")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("compact", () => {
  test("needs a model", async () => {
    await expect(run("/compact skills/ddd")).rejects.toMatchObject({ code: "unavailable" });
  });

  test("shows before and after, asks, writes, and can be undone", async () => {
    const asked: string[] = [];
    let agree = false;
    commands = createCommands();
    commands.register(
      storeCommands({
        ...context,
        compact: async (text) => ({ text: text.slice(0, 3), tokensBefore: 6, tokensAfter: 3 }),
        confirm: async (question, before, after) => {
          asked.push(`${question} ${before} ${after}`);
          return agree;
        },
      }),
    );
    await expect(run("/compact skills/ddd")).rejects.toMatchObject({ code: "permission_denied" });
    expect(await textAt("ikigai:///skills/ddd.md")).toBe("domain");
    agree = true;
    expect(await run("/compact skills/ddd")).toContain("6 → 3 tokens");
    expect(asked[1]).toBe("Compact ikigai:///skills/ddd.md (6 → 3 tokens)? domain dom");
    expect(await changesOf("compact", ["skills/ddd"])).toMatchObject([{ action: "update" }]);
    await run("/undo skills/ddd");
    expect(await textAt("ikigai:///skills/ddd.md")).toBe("domain");
  });
});

test.each([
  "/pin",
  "/pin a b",
  "/pinned x",
  "/budget 1 2",
  "/blocks x",
  "/forget",
  "/history",
  "/diff",
  "/undo a b c",
  "/compact",
  "/unpin",
])("%s does not fit and says how to write it", async (line) => {
  await expect(run(line)).rejects.toMatchObject({ code: "invalid_input", hint: expect.stringContaining("Write /") });
});

test("words are split at spaces, and quotes keep them together", () => {
  expect(commandWords(`pin "a b" 'c "d"' e "f \\" g"`)).toEqual(["pin", "a b", 'c "d"', "e", 'f " g']);
  assert(
    property(array(string()), (words) => {
      expect(commandWords(commandLine("pin", words))).toEqual(["/pin", ...words]);
    }),
  );
  expect(commandWords("pin blocks/ann's.md don't")).toEqual(["pin", "blocks/ann's.md", "don't"]);
  expect(() => commandWords('pin "a')).toThrow("not closed");
  expect(() => commandWords("pin 'a b")).toThrow("not closed");
  expect(() => commandWords('pin "')).toThrow("not closed");
});

test("commands are registered together or not at all, and withdrawn", () => {
  const [pin] = storeCommands(context);
  expect(() => commands.register(pin === undefined ? [] : [{ ...pin, name: "new" }, pin])).toThrow(
    "already registered",
  );
  expect(commands.get("new")).toBeUndefined();
  const added = commands.register(pin === undefined ? [] : [{ ...pin, name: "new" }]);
  expect(commands.get("new")).toBeDefined();
  added[Symbol.dispose]();
  expect(commands.get("new")).toBeUndefined();
  expect(() => findCommand(commands, "nothing")).toThrow("no command /nothing");
});

test("the model has the commands through one tool, but not those of a person", async () => {
  commands.register([
    {
      name: "erase",
      usage: "",
      description: "Erases.",
      examples: [],
      personOnly: true,
      plan: async () => ({ effects: [], run: async () => ({ text: "erased" }) }),
    },
  ]);
  const registry = createToolRegistry();
  registry.register([createSlashCommandTool(commands)]);
  const [card] = registry.snapshot().cards;
  expect(card?.description).toContain("- /pin ADDRESS: Keeps");
  expect(card?.description).not.toContain("/erase");
  const call = (command: string) => registry.call({ name: "slash_command", arguments: { command } }, { agent: "ann" });
  expect(await call("/history skills/ddd")).toMatchObject({
    success: true,
    data: { output: expect.stringContaining("created"), data: [{}] },
  });
  expect(await call("/diff skills/ddd")).toMatchObject({
    success: true,
    data: { output: expect.stringContaining("+domain") },
  });
  expect(await call("/erase")).toMatchObject({ success: false, code: "permission_denied" });
  expect(await call("/pin skills/ddd")).toMatchObject({ success: false, code: "permission_denied" });
  expect(await call("//")).toMatchObject({ success: false, code: "not_found" });
});

test("the question about a slash command shows it as it was written", async () => {
  const shown: unknown[] = [];
  const registry = createToolRegistry({
    policy: createPolicy({ mode: () => "ask" }),
    approver: async ({ preview }) => {
      shown.push((await preview())?.description);
      return { approved: false };
    },
  });
  registry.register([createSlashCommandTool(commands)]);
  const call = { name: "slash_command", arguments: { command: "/pin skills/ddd" } };
  expect(await registry.call(call, { agent: "ann" })).toMatchObject({ success: false, code: "permission_denied" });
  expect(shown).toEqual(["/pin skills/ddd"]);
});

test("a guess that cannot be asked hides nothing, but what was named must answer", async () => {
  const { source } = sources.route("ikigai:///x");
  const read = source.read.bind(source);
  const unreachable = new IkigaiError("unavailable", "The store is away");
  source.read = async (path, ...rest) => {
    if (path === "notes" || path === "notes.md" || path === "named.md") throw unreachable;
    return read(path, ...rest);
  };
  await expect(run("/assets delete ikigai:///named.md")).rejects.toMatchObject({ code: "unavailable" });
  await expect(run("/pin notes")).rejects.toMatchObject({ code: "unavailable" });
  source.read = async (path, ...rest) => {
    if (path === "notes.md") throw unreachable;
    return read(path, ...rest);
  };
  expect(await run("/pin notes")).toContain("Pinned");
});

test("the commands are known by name and usage before anything is open", () => {
  const names = describeStoreCommands().map(({ name }) => name);
  expect(names.toSorted()).toEqual(commands.list().map(({ name }) => name));
});

test("a slash command that only looks declares nothing but reads", async () => {
  for (const name of ["pinned", "blocks"]) expect(await effectsOf(name, [])).toEqual([]);
  for (const name of ["history", "diff"]) expect(await changesOf(name, ["skills/ddd"])).toEqual([]);
  expect(await changesOf("unpin", ["skills/ddd"])).toMatchObject([{ action: "update", target: "pin:///ann" }]);
  expect(await effectsOf("history", ["ikigai:///skills/ddd.md"])).toEqual([
    { action: "read", target: "ikigai:///skills/ddd.md" },
  ]);
});

test.each(["compact", "forget", "undo", "history", "diff", "pin", "unpin"])(
  "/%s without arguments has no target",
  async (name) => {
    await expect(effectsOf(name, [])).rejects.toMatchObject({ code: "invalid_input" });
  },
);

test.each(["undo", "history", "diff"])("/%s without an address says what to give", async (name) => {
  await expect(effectsOf(name, [])).rejects.toMatchObject({
    message: `/${name} needs the address of a text, such as blocks/decisions`,
    hint: expect.stringContaining(`Write /${name} ADDRESS`),
  });
});

test("a command that cannot be used here is not advised", () => {
  expect(() => findCommand(commands, "zzz")).toThrow(
    expect.objectContaining({ hint: expect.not.stringContaining("/compact") }),
  );
});

test("without a workspace a short address means the stored text in every command", async () => {
  await sources.unmount("file");
  expect(await run("/history blocks/notes")).toContain("created");
  expect(await run("/diff blocks/notes")).toContain("+notes");
  expect(await effectsOf("history", ["blocks/notes"])).toContainEqual({
    action: "read",
    target: "ikigai:///blocks/notes.md",
  });
  await run("/undo blocks/notes");
  expect(await textAt("ikigai:///blocks/notes.md")).toBeUndefined();
});

test("a defect of the blocks is not taken for an absent block", async () => {
  context = { ...context, blocks: { ...context.blocks, info: () => Promise.reject(new Error("boom")) } };
  commands = createCommands();
  commands.register(storeCommands(context));
  await expect(run("/pin plan")).rejects.toThrow("boom");
});

test("a change that nobody in particular made is shown with dashes", async () => {
  const { source, address } = sources.route("bare.txt");
  await source.write?.(address.path, "x");
  expect(await run("/history bare.txt")).toMatch(/file {2}- {2}created$/);
  const history = async () => [{ version: "1", at: new Date(0), text: "" }];
  context = { ...context, blocks: { ...context.blocks, history } };
  commands = createCommands();
  commands.register(storeCommands(context));
  await context.blocks.define({ label: "bare", type: "working", schema: { kind: "text" } }, ann);
  expect(await run("/history bare")).toBe("1970-01-01T00:00:00.000Z  -  ");
});
