import { type AnyTool, defineDataStream, type PlanContext } from "@ikigai/core";
import { type BlockEdit, createToolRegistry } from "@ikigai/core/host";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createBlockTools } from "./block-tools.ts";
import { createBlocks } from "../blocks/blocks.ts";
import { createMemoryBlockStore } from "../blocks/memory-block-store.ts";
import { actor, createBlockBench, defineAll, SCHEMAS } from "../testing/block-bench.test.helper.ts";
import { createBench, dataOf } from "../testing/text-source.test.helper.ts";
import { createSourceTool } from "./source.ts";

const plan: PlanContext = { ...actor(), signal: new AbortController().signal };

describe("block", () => {
  test("loads from a source by its path, with the text", async () => {
    const { call } = await createBlockBench({ "a.md": "one\n" });
    const loaded = dataOf(await call("block", { op: "load", label: "a.md", source_id: "file" }));
    expect(loaded).toMatchObject({
      label: "file:///a.md",
      type: "working",
      content: "one\n",
      undo: 0,
      modified: false,
    });
    for (const label of ["file:///a.md", "a.md"]) {
      expect(dataOf(await call("block", { op: "load", label }))).toMatchObject({ content: "one\n" });
    }
    expect(dataOf(await call("block", { op: "load", label: "file:///a.md", source_id: "file" }))).toMatchObject({
      label: "file:///a.md",
    });
  });

  test("pins, shows a part, archives, shares and tells about it", async () => {
    const { call, file } = await createBlockBench({ a: "1\n2\n3\n" });
    await call("block", { op: "load", label: "a" });
    const block = async (args: object, agent?: string) => dataOf(await call("block", { label: "a", ...args }, agent));
    expect(await block({ op: "pin" })).toMatchObject({ pinned: true });
    expect(await block({ op: "unpin" })).toMatchObject({ pinned: false });
    expect(await block({ op: "viewport", start_line: 2, display_lines: 1 })).toMatchObject({
      content: "2\n[lines 2 to 2 of 3]\n",
    });
    expect(await block({ op: "viewport" })).toMatchObject({ content: "1\n2\n3\n" });
    await block({ op: "share", agent: "bob", permission: "read_only" });
    expect(await block({ op: "info" }, "bob")).toMatchObject({ owner: "ada", permission: "read_only" });
    await block({ op: "unshare", agent: "bob" });
    expect(await block({ op: "archive" })).toMatchObject({ type: "archival" });
    file.texts.set("a", "new\n");
    expect(await block({ op: "load" })).toMatchObject({ type: "working", content: "new\n" });
  });

  test.each([
    [{ op: "share", label: "a" }, "needs agent and permission"],
    [{ op: "pin", label: "a", source_id: "file" }, "does not take source_id"],
    [{ op: "viewport", label: "a", start_line: 1 }, "offset and limit"],
    [{ op: "viewport", label: "a", start_line: 0, display_lines: 1 }, "offset"],
    [{ op: "fly", label: "a" }, "op"],
    [{ op: "pin" }, "label"],
  ])("%j is refused: %s", async (args, words) => {
    const { call } = await createBlockBench({ a: "1\n" });
    await call("block", { op: "load", label: "a" });
    expect(await call("block", args)).toMatchObject({ code: "invalid_input", error: expect.stringContaining(words) });
  });

  test("what is nowhere is not found", async () => {
    const { call } = await createBlockBench();
    expect(await call("block", { op: "info", label: "x" })).toMatchObject({ code: "not_found" });
    expect(await call("block", { op: "load", label: "x" })).toMatchObject({ code: "not_found" });
    expect(await call("block", { op: "load", label: "x", source_id: "nowhere" })).toMatchObject({ code: "not_found" });
  });

  test("declares exactly what it will do", async () => {
    const { blocks, sources, file } = await createBlockBench({ a: "1\n" });
    const [tool] = createBlockTools({ blocks, sources }) as [AnyTool];
    const effects = async (args: object) =>
      (await tool.effects({ label: "a", ...args }, plan)).map(({ action, target }) => `${action} ${target}`);
    expect(await effects({ op: "load" })).toEqual(["read file:///a", "create block:///file:///a"]);
    await blocks.load("a", actor());
    expect(await effects({ op: "load" })).toEqual(["read block:///file:///a", "read file:///a"]);
    expect(await effects({ op: "info" })).toEqual(["read block:///file:///a"]);
    expect(await effects({ op: "pin" })).toEqual(["read block:///file:///a", "update context:///file:///a"]);
    expect(await effects({ op: "archive" })).toEqual(["update block:///file:///a"]);
    expect(await effects({ op: "unshare", agent: "bob" })).toEqual(["admin share:///file:///a"]);
    await blocks.archive("a", actor());
    file.texts.set("a", "2\n");
    expect(await effects({ op: "load" })).toEqual([
      "read block:///file:///a",
      "read file:///a",
      "update context:///file:///a",
      "update block:///file:///a",
    ]);
    await blocks.define({ label: "persona", type: "core", schema: SCHEMAS.text }, actor());
    expect(await effects({ op: "load", label: "persona" })).toEqual(["read block:///persona"]);
    const broken = { ...blocks, status: () => Promise.reject(new Error("no database")) };
    const [failing] = createBlockTools({ blocks: broken, sources }) as [AnyTool];
    await expect(failing.effects({ op: "load", label: "a" }, plan)).rejects.toThrow("no database");
  });
});

describe("block_edit", () => {
  test.each([
    [{ op: "append", label: "text", content: "x\0" }],
    [{ op: "replace", label: "text", old: "one", new: "\0" }],
    [{ op: "replace", label: "text", old: "o", new: "\0$0", mode: "regex" }],
    [{ op: "patch", label: "text", patch: "@@ -1,1 +1,1 @@\n-one\n+\0\n" }],
    [{ op: "edit_range", label: "text", start: 1, end: 1, content: "\0" }],
    [{ op: "append", label: "list", content: "\0" }],
    [{ op: "edit_range", label: "list", start: 1, end: 1, content: "\0" }],
    [{ op: "append", label: "log", content: "\0" }],
    [{ op: "set_field", label: "map", field: "tags", value: ["a", "\0"] }],
    [{ op: "set_field", label: "composite", field: "facts", value: { city: "\0" } }],
    [{ op: "set_field", label: "composite", field: "diary", value: "\0" }],
  ])("%j is refused for its NUL character", async (args) => {
    const { call, blocks } = await createBlockBench();
    await defineAll(blocks);
    const before = await blocks.info(args.label, actor());
    expect(await call("block_edit", args)).toMatchObject({
      code: "invalid_input",
      error: expect.stringContaining("contains a NUL character"),
    });
    const { label: _, ...edit } = args;
    await expect(blocks.edit(args.label, edit as BlockEdit, actor())).rejects.toMatchObject({ code: "invalid_input" });
    expect(await blocks.info(args.label, actor())).toEqual(before);
  });

  test("a value that is nested very deep is looked through", async () => {
    const { call, blocks } = await createBlockBench();
    await defineAll(blocks);
    let value: unknown = "\0";
    for (let depth = 0; depth < 2_000; depth++) value = [value];
    expect(await call("block_edit", { op: "set_field", label: "map", field: "name", value })).toMatchObject({
      error: expect.stringContaining("contains a NUL character"),
    });
  });

  test("edits by every operation, and gives version, undo and redo", async () => {
    const { call, blocks } = await createBlockBench();
    await defineAll(blocks);
    const calls: readonly [object, string][] = [
      [{ op: "append", content: "three\n" }, "one\ntwo\nthree\n"],
      [{ op: "replace", old: "one", new: "1" }, "1\ntwo\nthree\n"],
      [{ op: "replace", old: "t(\\w)", new: "T$1", mode: "regex", nth: 1 }, "1\nTwo\nthree\n"],
      [{ op: "patch", patch: "@@ -1,1 +1,1 @@\n-1\n+one\n" }, "one\nTwo\nthree\n"],
      [{ op: "edit_range", start: 2, end: 3, content: "" }, "one\n"],
      [{ op: "undo" }, "one\nTwo\nthree\n"],
      [{ op: "redo" }, "one\n"],
    ];
    const versions = new Set<unknown>();
    for (const [args, text] of calls) {
      const data = dataOf(await call("block_edit", { label: "text", ...args }));
      versions.add(data["version"]);
      expect(Object.keys(data)).toEqual(["label", "version", "undo", "redo"]);
      expect(await blocks.text("text", actor())).toBe(text);
    }
    expect(versions.size).toBe(calls.length);
    dataOf(await call("block_edit", { op: "set_field", label: "map", field: "age", value: 3 }));
    dataOf(await call("block_edit", { op: "set_field", label: "map", field: "age", value: null }));
    expect(await blocks.text("map", actor())).toBe("name: nobody\nid: id-1\n");
  });

  test.each([
    [{ op: "append" }, "needs content"],
    [{ op: "replace", old: "a" }, "needs new"],
    [{ op: "patch" }, "needs patch"],
    [{ op: "set_field", field: "a" }, "needs value"],
    [{ op: "edit_range", start: 1 }, "needs limit and content"],
    [{ op: "undo", content: "x" }, "does not take content"],
  ])("%j is refused: %s", async (args, words) => {
    const { call, blocks } = await createBlockBench();
    await defineAll(blocks);
    const refused = await call("block_edit", { label: "text", ...args });
    expect(refused).toMatchObject({ code: "invalid_input", error: expect.stringContaining(words) });
  });

  test("a block that is closed to the agent is not edited, whatever the operation", async () => {
    const { call, blocks } = await createBlockBench();
    await blocks.define({ label: "b", type: "core", schema: SCHEMAS.text, permission: "append" }, actor());
    expect(await call("block_edit", { op: "append", label: "b", content: "x" })).toMatchObject({ success: true });
    for (const args of [{ op: "undo" }, { op: "replace", old: "one", new: "x" }]) {
      expect(await call("block_edit", { label: "b", ...args })).toMatchObject({ code: "permission_denied" });
    }
  });

  test("a person sees the text before and after, and nothing was changed", async () => {
    const { blocks, sources } = await createBlockBench();
    await defineAll(blocks);
    const [, edit] = createBlockTools({ blocks, sources }) as [AnyTool, AnyTool];
    const preview = await edit.preview?.({ op: "append", label: "text", content: "x" }, plan);
    expect(preview).toEqual({
      description: "append in the block text",
      before: "one\ntwo\n",
      after: "one\ntwo\nx",
    });
    expect(await blocks.text("text", actor())).toBe("one\ntwo\n");
  });
});

describe("source", () => {
  async function withStream() {
    const bench = await createBlockBench({ a: "1" });
    await bench.sources.mount({
      mount: "ticks",
      source: defineDataStream({
        name: "ticker",
        options: z.strictObject({}),
        capabilities: [],
        open: async () => ({
          async *events({ signal }) {
            yield { cursor: "1", at: new Date(0), text: "tick" };
            await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          },
        }),
      }),
    });
    await bench.blocks.load("a", actor());
    return bench;
  }

  test("lists what is mounted and tells how it stands", async () => {
    const { call, sources } = await withStream();
    expect(dataOf(await call("source", { op: "list" }))).toEqual({
      sources: [
        { source_id: "file", type: "block", name: "text" },
        { source_id: "ticks", type: "stream", name: "ticker" },
      ],
    });
    expect(dataOf(await call("source", { op: "status" }))).toMatchObject({
      sources: [
        { source_id: "file", state: "mounted", capabilities: ["write", "remove"], loaded_blocks: ["file:///a"] },
        { source_id: "ticks", state: "running", cursor: "1" },
      ],
    });
    expect(dataOf(await call("source", { op: "status", source_id: "ticks" }))).toMatchObject({
      sources: [{ source_id: "ticks" }],
    });
    await sources.close();
  });

  test("pauses and resumes a stream", async () => {
    const { call, sources } = await withStream();
    expect(dataOf(await call("source", { op: "pause", source_id: "ticks" }))).toMatchObject({
      message: '"ticks" is paused',
    });
    expect(dataOf(await call("source", { op: "resume", source_id: "ticks" }))).toMatchObject({
      source: { state: "running" },
    });
    await sources.close();
  });

  test("says of a source of text that there is nothing to pause, and how it stands", async () => {
    const { call, sources } = await withStream();
    for (const op of ["pause", "resume"]) {
      expect(dataOf(await call("source", { op, source_id: "file" }))).toMatchObject({
        message: `"file" holds text and sends no events, so there is nothing to ${op}`,
        source: { state: "mounted", loaded_blocks: ["file:///a"] },
      });
    }
    await sources.close();
  });

  test.each([
    [{ op: "pause" }, "invalid_input"],
    [{ op: "list", source_id: "file" }, "invalid_input"],
    [{ op: "status", source_id: "nowhere" }, "not_found"],
    [{ op: "pause", source_id: "nowhere" }, "not_found"],
  ])("%j is refused as %s", async (args, code) => {
    const { call } = await createBlockBench();
    expect(await call("source", args)).toMatchObject({ code });
  });

  test("changes only streams, tells what is watched, and a failed stream's error", async () => {
    const { sources } = await withStream();
    await sources.mount({
      mount: "broken",
      source: defineDataStream({
        name: "broken",
        options: z.strictObject({}),
        capabilities: [],
        open: async () => ({
          // oxlint-disable-next-line require-yield -- it fails before it can
          async *events() {
            throw new Error("no line");
          },
        }),
      }),
    });
    const tool = createSourceTool({ sources, watching: (mount) => mount === "file" });
    expect(await tool.effects({ op: "pause", source_id: "ticks" }, plan)).toEqual([
      { action: "admin", target: "source:///ticks" },
    ]);
    expect(await tool.effects({ op: "pause", source_id: "file" }, plan)).toEqual([
      { action: "read", target: "source:///file" },
    ]);
    const context = { ...plan, permit: async () => undefined, progress: () => undefined };
    expect(await tool.run({ op: "status" }, context)).toMatchObject({
      sources: [{ watching: true }, { source_id: "ticks" }, { state: "failed", error: "no line" }],
    });
    await sources.close();
  });

  test("is told by the host what is watched", async () => {
    const { sources, registry, call } = await createBench();
    const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
    registry.register(createBlockTools({ blocks, sources, watching: () => false }));
    expect(dataOf(await call("source", { op: "status" }))).toMatchObject({ sources: [{ watching: false }] });
  });
});

test("effects do not lie: whatever is called, no source is touched beyond what was declared", async () => {
  const labels = fc.constantFrom("a", "file:///b", "text", "nowhere", "../x");
  const words = fc.constantFrom("", "one", "x\ny");
  const calls = fc.oneof(
    fc.record({
      name: fc.constant("block"),
      args: fc.record(
        { op: fc.constantFrom("load", "pin", "unpin", "archive", "info", "viewport"), label: labels, source_id: words },
        { requiredKeys: ["op", "label"] },
      ),
    }),
    fc.record({
      name: fc.constant("block_edit"),
      args: fc.record(
        {
          op: fc.constantFrom("append", "replace", "patch", "undo", "redo"),
          label: labels,
          content: words,
          old: words,
          new: words,
        },
        { requiredKeys: ["op", "label"] },
      ),
    }),
    fc.record({ name: fc.constant("person"), args: fc.record({ label: fc.constantFrom("a", "b"), content: words }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(calls, { maxLength: 10 }), async (sequence) => {
      const { file, sources } = await createBench({ a: "one two", b: "three" });
      const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
      await defineAll(blocks, "default");
      const declared: string[] = [];
      const registry = createToolRegistry({
        policy: {
          judge: async (effect) => {
            declared.push(`${effect.action} ${effect.target}`);
            return { effect, decision: "allow", needs: "mode", trace: [] };
          },
        },
      });
      registry.register(createBlockTools({ blocks, sources }));
      for (const { name, args } of sequence) {
        if (name === "person") {
          file.texts.set(args.label, (args as { content: string }).content);
          continue;
        }
        declared.length = 0;
        file.touches.length = 0;
        const before = new Map<string, string>();
        for (const { label } of await blocks.list(actor("default"))) {
          before.set(label, await blocks.text(label, actor("default")));
        }
        const answer = await registry.call({ name, arguments: args });
        const touched = new Set(file.touches.map(({ action, target }) => `${action} ${target}`));
        const undeclared = [...touched].filter((touch) => !declared.includes(touch));
        expect(answer.success ? undeclared : []).toEqual([]);
        expect([...touched].filter((touch) => !touch.startsWith("read "))).toEqual([]);
        for (const { label } of await blocks.list(actor("default"))) {
          const same = before.get(label) === (await blocks.text(label, actor("default")));
          const told = declared.some((effect) => !effect.startsWith("read ") && effect.endsWith(`:///${label}`));
          expect(same || told).toBe(true);
        }
      }
    }),
    { numRuns: 25 },
  );
});
