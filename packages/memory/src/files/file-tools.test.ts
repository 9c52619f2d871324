import { type AnyTool, defineDataBlock, type Effect, type Envelope, type ToolContext } from "@ikigai/core";
import { createSourceManager, createToolRegistry, toAnthropicTools, type ToolRegistryOptions } from "@ikigai/core/host";
import { createMemoryStore, memorySource, recordingSource, undeclaredTouches } from "@ikigai/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createFileTools } from "./file-tools.ts";
import { type Bench, createBench, dataOf } from "../testing/text-source.test.helper.ts";

async function withFiles(initial: Record<string, string> = {}, options: ToolRegistryOptions = {}): Promise<Bench> {
  const bench = await createBench(initial, options);
  bench.registry.register(createFileTools({ sources: bench.sources }));
  return bench;
}

const versionOf = async ({ call }: Bench, path: string): Promise<string> =>
  String(dataOf(await call("file_read", { path }, "looking"))["version"]);

const plan = { agent: "a", conversation: "one", callId: "1", tool: "t", signal: new AbortController().signal };
const context: ToolContext = { ...plan, permit: async () => undefined, progress: () => undefined };

test("the tools register, with titles and schemas of their results", async () => {
  const { registry } = await withFiles();
  const { cards } = registry.snapshot();
  expect(cards.map(({ name, title }) => [name, title])).toEqual([
    ["file_read", "Read a file"],
    ["file_write", "Write a file"],
    ["file_edit", "Edit a file"],
    ["file_delete", "Delete a file"],
    ["file_move", "Move or rename a file"],
  ]);
  expect(cards.every(({ outputSchema }) => outputSchema?.["type"] === "object")).toBe(true);
  expect(toAnthropicTools(cards)).toHaveLength(5);
});

test.each([
  ["file_write", { path: "a", content: "x\0y" }],
  ["file_write", { path: "new", content: "x\0y" }],
  ["file_edit", { path: "a", old: "one", new: "x\0y" }],
])("%s %j is refused for its NUL character before anything is touched", async (name, args) => {
  const { call, file } = await withFiles({ a: "one" });
  expect(await call(name, args)).toMatchObject({
    code: "invalid_input",
    error: expect.stringContaining("contains a NUL character, at offset 1"),
  });
  expect(file.touches).toEqual([]);
  expect([...file.texts]).toEqual([["a", "one"]]);
});

describe("file_read", () => {
  test.each([
    [{}, "one\ntwo\nthree", 3],
    [{ offset: 2 }, "two\nthree", 3],
    [{ offset: 2, limit: 1 }, "two\n", 3],
    [{ limit: 99 }, "one\ntwo\nthree", 3],
  ])("%j gives %j", async (range, content, total) => {
    const { call } = await withFiles({ "a.txt": "one\ntwo\nthree" });
    const data = dataOf(await call("file_read", { path: "file:///a.txt", ...range }));
    expect(data).toEqual({ content, total_lines: total, version: expect.any(String) });
  });

  test("an empty text is read, and has no lines", async () => {
    const { call } = await withFiles({ empty: "" });
    expect(dataOf(await call("file_read", { path: "empty" }))).toMatchObject({ content: "", total_lines: 0 });
  });

  test.each([
    [{ path: "absent" }, "not_found"],
    [{ path: "a", offset: 3 }, "invalid_input"],
    [{ path: "a", offset: 0 }, "invalid_input"],
    [{ path: "a", limit: 0.5 }, "invalid_input"],
    [{ path: "a", extra: 1 }, "invalid_input"],
    [{ path: "../a" }, "permission_denied"],
    [{ path: "nowhere:///a" }, "not_found"],
  ])("%j answers %s", async (args, code) => {
    const { call } = await withFiles({ a: "1\n2\n" });
    expect(await call("file_read", args)).toMatchObject({ success: false, code });
  });

  test.each([
    ["1\n", "has 1 line,"],
    ["1\n2\n", "has 2 lines,"],
    ["", "has 0 lines,"],
  ])("of %j it says that it %s", async (content, words) => {
    const { call } = await withFiles({ a: content });
    expect(await call("file_read", { path: "a", offset: 9 })).toMatchObject({ error: expect.stringContaining(words) });
  });
});

describe("a long text that is read part by part", () => {
  /** Follows what the answers say until one names no place to go on. */
  async function readOn(text: string, maxOutputSize: number, isWithColumns: boolean): Promise<string> {
    const { registry } = await withFiles({ long: text }, { maxOutputSize });
    const card = registry.snapshot().cards.find(({ name }) => name === "file_read");
    let all = "";
    let input: Record<string, unknown> | undefined = { path: "long" };
    for (let calls = 0; input !== undefined; calls++) {
      expect(calls).toBeLessThanOrEqual(text.length + 1);
      const envelope: Envelope = await registry.call({ name: "file_read", arguments: input });
      if (!envelope.success) throw new Error(envelope.error);
      const { data, truncated } = envelope;
      const told = card?.toText?.(data, { input, ...(truncated !== undefined && { truncated }) });
      const answer: string = typeof told === "object" ? told.tellsCut : (told ?? "");
      const footer: number = answer.lastIndexOf("[version: ");
      const said = answer.slice(footer);
      const cut = /; line (\d+) is cut: .* and column (\d+)/.exec(said);
      const next = /go on with offset (\d+)\]$/.exec(said);
      const shown = answer.slice(0, footer);
      // The footer stands on a line of its own, also below a line that is cut.
      all += cut === null ? shown : shown.slice(0, -1);
      if (cut !== null && isWithColumns) input = { path: "long", offset: Number(cut[1]), column: Number(cut[2]) };
      else if (cut !== null) all += "\n";
      if (cut === null || !isWithColumns) input = next === null ? undefined : { path: "long", offset: Number(next[1]) };
    }
    return all;
  }

  const line = fc
    .oneof(
      { weight: 3, arbitrary: fc.string({ maxLength: 40 }) },
      { weight: 1, arbitrary: fc.string({ minLength: 300, maxLength: 3_000, unit: "grapheme" }) },
    )
    .map((text) => text.replaceAll(/[\n\r\0]/g, ""));

  test("following the offsets and columns that its answers name gives every character exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.integer({ min: 200, max: 2_000 }), async (lines, size) => {
        const text = lines.map((one) => `${one}\n`).join("");
        expect(await readOn(text, size, true)).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  test("following the offsets alone ends, and gives every line once, long ones cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.integer({ min: 200, max: 2_000 }), async (lines, size) => {
        const text = lines.map((one) => `${one}\n`).join("");
        const shown = (await readOn(text, size, false)).split("\n").slice(0, -1);
        expect(shown).toHaveLength(lines.length);
        for (const [index, one] of shown.entries()) expect(lines[index]?.startsWith(one)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("a column beyond its line is refused in words", async () => {
    const { call } = await withFiles({ a: "one\ntwo\n" });
    expect(dataOf(await call("file_read", { path: "a", offset: 2, column: 3 }))).toMatchObject({ content: "o\n" });
    expect(await call("file_read", { path: "a", offset: 2, column: 5 })).toMatchObject({
      code: "invalid_input",
      error: expect.stringContaining("Line 2 of file:///a has 3 characters, so none from column 5 on"),
    });
  });
});

describe("file_write", () => {
  test("creates text that is not there, and may then write it again", async () => {
    const { call, file } = await withFiles();
    dataOf(await call("file_write", { path: "new.md", content: "1" }));
    dataOf(await call("file_write", { path: "./new.md", content: "2" }));
    expect(file.texts.get("new.md")).toBe("2");
  });

  test("refuses existing text that this conversation has not read, and says how to go on", async () => {
    const { call, file } = await withFiles({ a: "theirs" });
    await call("file_read", { path: "a" }, "another conversation");
    const refused = await call("file_write", { path: "a", content: "mine" });
    expect(refused).toMatchObject({ code: "conflict", error: expect.stringContaining("`expected`") });
    expect(file.texts.get("a")).toBe("theirs");
  });

  test("refuses text that changed since it was read", async () => {
    const { call, file } = await withFiles({ a: "1" });
    await call("file_read", { path: "a" });
    file.texts.set("a", "changed by a person");
    expect(await call("file_write", { path: "a", content: "mine" })).toMatchObject({ code: "conflict" });
    expect(file.texts.get("a")).toBe("changed by a person");
  });

  test("takes the version instead of a read, and only the right one", async () => {
    const bench = await withFiles({ a: "1" });
    const { call, file } = bench;
    const expected = await versionOf(bench, "a");
    expect(await call("file_write", { path: "a", content: "2", expected: "stale" })).toMatchObject({
      code: "conflict",
    });
    expect(await call("file_write", { path: "b", content: "2", expected })).toMatchObject({ code: "conflict" });
    dataOf(await call("file_write", { path: "a", content: "2", expected }));
    expect(Object.fromEntries(file.texts)).toEqual({ a: "2" });
  });

  test.each([
    ["created", "new"],
    ["changed", "a"],
  ])("text that was %s between approval and write is not overwritten", async (_, path) => {
    const { call, file } = await withFiles({ a: "1" });
    await call("file_read", { path: "a" });
    file.interfere = () => file.texts.set(path, "theirs");
    expect(await call("file_write", { path, content: "mine" })).toMatchObject({ code: "conflict" });
    expect(file.texts.get(path)).toBe("theirs");
  });

  test("a fault of the source is passed on as it is", async () => {
    const { call, file, defects } = await withFiles();
    file.interfere = () => {
      throw new Error("disk on fire");
    };
    expect(await call("file_write", { path: "a", content: "1" })).toMatchObject({ code: "internal" });
    expect(String(defects)).toContain("disk on fire");
  });

  test("a refused write declares no more than a look", async () => {
    const { sources, registry } = await withFiles({ a: "1" });
    const write = registry.get("file_write") as AnyTool;
    expect(await write.effects({ path: "a", content: "2" }, plan)).toEqual([{ action: "read", target: "file:///a" }]);
    expect(await write.effects({ path: "b", content: "2" }, plan)).toEqual([{ action: "create", target: "file:///b" }]);
    const { version } = (await sources.route("a").source.read("a")) ?? { version: "" };
    expect(await write.effects({ path: "a", content: "2", expected: version }, plan)).toEqual([
      { action: "update", target: "file:///a" },
    ]);
  });

  test("run without a plan makes its own", async () => {
    const { registry, file } = await withFiles();
    await (registry.get("file_write") as AnyTool).run({ path: "a", content: "1" }, context);
    expect(file.texts.get("a")).toBe("1");
  });

  test("a person sees the text before and after", async () => {
    const { registry } = await withFiles({ a: "1" });
    const write = registry.get("file_write") as AnyTool;
    expect(await write.preview?.({ path: "a", content: "2" }, plan)).toEqual({
      description: "Replace the whole of file:///a",
      before: "1",
      after: "2",
    });
    expect(await write.preview?.({ path: "b", content: "2" }, plan)).toEqual({
      description: "Create file:///b",
      after: "2",
    });
  });
});

describe("file_edit", () => {
  test("replaces the only match without a prior read", async () => {
    const { call, file } = await withFiles({ a: "one two" });
    expect(dataOf(await call("file_edit", { path: "a", old: "two", new: "2" }))).toMatchObject({ replacements: 1 });
    expect(file.texts.get("a")).toBe("one 2");
  });

  test("an edit is no licence to overwrite the rest unseen; after a read it is", async () => {
    const { call } = await withFiles({ a: "one two" });
    await call("file_edit", { path: "a", old: "two", new: "2" });
    expect(await call("file_write", { path: "a", content: "" })).toMatchObject({ code: "conflict" });
    await call("file_read", { path: "a" });
    await call("file_edit", { path: "a", old: "one", new: "1" });
    expect(await call("file_write", { path: "a", content: "" })).toMatchObject({ success: true });
  });

  test.each([
    [{ old: "x", new: "y" }, "ambiguous"],
    [{ old: "absent", new: "y" }, "not_found"],
    [{ old: "", new: "y" }, "invalid_input"],
    [{ old: "x", new: "x" }, "invalid_input"],
  ])("%j answers %s and changes nothing", async (edit, code) => {
    const { call, file } = await withFiles({ a: "x and x" });
    expect(await call("file_edit", { path: "a", ...edit })).toMatchObject({ success: false, code });
    expect(file.texts.get("a")).toBe("x and x");
  });

  test("several matches are counted, and replaced on demand", async () => {
    const { call } = await withFiles({ a: "x and x" });
    const refused = await call("file_edit", { path: "a", old: "x", new: "y" });
    expect(refused).toMatchObject({ error: expect.stringContaining("2 times"), details: { matches: 2 } });
    const done = await call("file_edit", { path: "a", old: "x", new: "y", replace_all: true });
    expect(dataOf(done)).toMatchObject({ replacements: 2 });
  });

  test("absent text is not found, also when it vanishes after approval", async () => {
    const { call, file, registry } = await withFiles({ a: "x" });
    expect(await call("file_edit", { path: "b", old: "x", new: "y" })).toMatchObject({ code: "not_found" });
    const edit = registry.get("file_edit") as AnyTool;
    const args = { path: "a", old: "x", new: "y" };
    expect(await edit.effects(args, plan)).toEqual([{ action: "update", target: "file:///a" }]);
    file.texts.delete("a");
    await expect(edit.run(args, context)).rejects.toMatchObject({ code: "not_found" });
  });

  test("50 edits in parallel are all there, also against another writer", async () => {
    const { call, file } = await withFiles({ a: Array.from({ length: 50 }, (_, i) => `line ${i};\n`).join("") });
    let others = 0;
    file.interfere = (path) => {
      if (others < 20) file.texts.set(path, `${file.texts.get(path)}other ${others++};\n`);
    };
    const edits = Array.from({ length: 50 }, (_, i) =>
      call("file_edit", { path: "a", old: `line ${i};`, new: `edited ${i};` }, `conversation ${i % 4}`),
    );
    for (const envelope of await Promise.all(edits)) dataOf(envelope);
    const lines = file.texts.get("a")?.split("\n") ?? [];
    expect(lines.filter((line) => line.startsWith("edited"))).toHaveLength(50);
    expect(lines.filter((line) => line.startsWith("other"))).toHaveLength(20);
  });

  test("a text that never rests is given up with a conflict", async () => {
    const { call, file } = await withFiles({ a: "x" });
    let n = 0;
    file.interfere = () => file.texts.set("a", `x ${n++}`);
    const given = await call("file_edit", { path: "a", old: "x", new: "y" });
    expect(given).toMatchObject({ code: "conflict", error: expect.stringContaining("50 times") });
  });

  test("a fault of the source is passed on as it is", async () => {
    const { call, file, defects } = await withFiles({ a: "x" });
    file.interfere = () => {
      throw new Error("disk on fire");
    };
    expect(await call("file_edit", { path: "a", old: "x", new: "y" })).toMatchObject({ code: "internal" });
    expect(String(defects)).toContain("disk on fire");
  });

  test("a person sees the text before and after", async () => {
    const { registry } = await withFiles({ a: "x x" });
    const edit = registry.get("file_edit") as AnyTool;
    const args = { path: "a", old: "x", new: "y", replace_all: true };
    expect(await edit.preview?.(args, plan)).toEqual({
      description: "Edit file:///a",
      before: "x x",
      after: "y y",
      count: 2,
    });
    await expect(edit.preview?.({ ...args, path: "b" }, plan)).rejects.toMatchObject({ code: "not_found" });
    const unclear = edit.preview?.({ path: "a", old: "x", new: "y" }, plan);
    await expect(unclear).rejects.toMatchObject({ code: "ambiguous" });
  });
});

test("a source that cannot write says so", async () => {
  const { sources, call } = await withFiles();
  const source = defineDataBlock({
    name: "frozen",
    options: z.strictObject({}),
    capabilities: [],
    open: async () => ({
      read: async () => ({ text: "x", version: "1" }),
      async *list() {},
    }),
  });
  await sources.mount({ mount: "frozen", source });
  for (const [tool, args] of [
    ["file_write", { content: "y" }],
    ["file_edit", { old: "x", new: "y" }],
  ] as const) {
    expect(await call(tool, { path: "frozen:///a", ...args })).toMatchObject({ code: "unsupported" });
  }
});

test("a path that its source closes is read and not written", async () => {
  const { call, file } = await withFiles({ a: "x" });
  file.permission = "read_only";
  dataOf(await call("file_read", { path: "a" }));
  expect(await call("file_write", { path: "a", content: "y" })).toMatchObject({ code: "permission_denied" });
  expect(await call("file_edit", { path: "a", old: "x", new: "y" })).toMatchObject({ code: "permission_denied" });
  file.permission = "append";
  dataOf(await call("file_write", { path: "new", content: "y" }));
  expect(await call("file_write", { path: "new", content: "z" })).toMatchObject({ code: "permission_denied" });
});

test("a source learns on whose behalf it is asked", async () => {
  const { call, file } = await withFiles({ a: "x" });
  await call("file_edit", { path: "a", old: "x", new: "y" }, "talk", "ada");
  expect(file.actors.every((actor) => actor?.agent === "ada" && actor.conversation === "talk")).toBe(true);
});

test("effects do not lie: whatever is called, what is touched was declared", async () => {
  const paths = fc.constantFrom("a", "./a", "file:///a", "b/c", "../x", "", "gone");
  const words = fc.constantFrom("", "x", "y", "x\ny");
  const calls = fc.oneof(
    fc.record({ name: fc.constant("file_read"), args: fc.record({ path: paths, offset: fc.integer({ max: 3 }) }) }),
    fc.record({
      name: fc.constant("file_write"),
      args: fc.record({ path: paths, content: words, expected: words }, { requiredKeys: ["path", "content"] }),
    }),
    fc.record({
      name: fc.constant("file_edit"),
      args: fc.record(
        { path: paths, old: words, new: words, replace_all: fc.boolean() },
        { requiredKeys: ["path", "old", "new"] },
      ),
    }),
    fc.record({ name: fc.constant("file_delete"), args: fc.record({ path: paths }) }),
    fc.record({ name: fc.constant("file_move"), args: fc.record({ from: paths, to: paths }) }),
    fc.record({ name: fc.constant("person"), args: fc.record({ path: fc.constantFrom("a", "b/c"), content: words }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(calls, { maxLength: 12 }), async (sequence) => {
      const recording = recordingSource(memorySource);
      const sources = createSourceManager();
      await sources.mount({
        mount: "file",
        source: recording.definition,
        options: { store: createMemoryStore({ a: "x y x" }) },
      });
      const declared: Effect[] = [];
      const registry = createToolRegistry({
        policy: {
          judge: async (effect) => {
            declared.push(effect);
            return { effect, decision: "allow", needs: "mode", trace: [] };
          },
        },
      });
      registry.register(createFileTools({ sources }));
      for (const { name, args } of sequence) {
        if (name === "person") {
          await sources.route(args.path).source.write?.(args.path, (args as { content: string }).content);
          continue;
        }
        declared.length = 0;
        recording.take();
        await registry.call({ name, arguments: args });
        expect(undeclaredTouches(recording.take(), declared, "file")).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});
