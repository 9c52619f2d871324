import type { Preview } from "@ikigai/core";
import { createPolicy } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { createBlockTools } from "./block-tools.ts";
import { createBlocks } from "../blocks/blocks.ts";
import { createMemoryBlockStore } from "../blocks/memory-block-store.ts";
import { createBlockBench } from "../testing/block-bench.test.helper.ts";
import { createBench, dataOf } from "../testing/text-source.test.helper.ts";

test("a block is compared, saved, merged and reloaded with the text that it came from", async () => {
  const { call, file } = await createBlockBench({ "a.md": "one\n" });
  const block = async (op: string) => dataOf(await call("block", { op, label: "a.md" }));
  await block("load");
  await call("block_edit", { op: "append", label: "a.md", content: "two\n" });
  expect(await block("diff")).toMatchObject({ diff: expect.stringContaining("+two") as string, modified: true });
  expect(await block("save")).toMatchObject({ modified: false });
  expect(file.texts.get("a.md")).toBe("one\ntwo\n");
  file.texts.set("a.md", "zero\none\ntwo\n");
  await call("block_edit", { op: "append", label: "a.md", content: "three\n" });
  expect(await call("block", { op: "save", label: "a.md" })).toMatchObject({ code: "conflict" });
  await block("merge");
  await block("save");
  expect(file.texts.get("a.md")).toBe("zero\none\ntwo\nthree\n");
  await call("block_edit", { op: "replace", label: "a.md", old: "zero", new: "nil" });
  expect(await block("reload")).toMatchObject({ modified: false });
  expect(dataOf(await call("block", { op: "load", label: "a.md" }))).toMatchObject({
    content: "zero\none\ntwo\nthree\n",
  });
});

test("a save of what was only added passes where a source may be added to, and of anything else is denied", async () => {
  const { call, file } = await createBlockBench({ "log.md": "one\n" });
  await call("block", { op: "load", label: "log.md" });
  file.permission = "append";
  await call("block_edit", { op: "append", label: "log.md", content: "two\n" });
  expect(await call("block", { op: "save", label: "log.md" })).toMatchObject({ success: true });
  expect(file.texts.get("log.md")).toBe("one\ntwo\n");
  file.permission = "admin";
  await call("block_edit", { op: "replace", label: "log.md", old: "one", new: "ten" });
  file.permission = "append";
  expect(await call("block", { op: "save", label: "log.md" })).toMatchObject({ code: "permission_denied" });
  expect(file.texts.get("log.md")).toBe("one\ntwo\n");
});

test("a block without a source cannot be saved, and the answer says what to do", async () => {
  const { call, blocks } = await createBlockBench();
  const actor = { agent: "ada", conversation: "one", callId: "1", tool: "block" };
  await blocks.define({ label: "own", type: "core", schema: { kind: "text" } }, actor);
  for (const op of ["save", "diff", "reload", "merge"]) {
    expect(await call("block", { op, label: "own" })).toMatchObject({ code: "not_found" });
  }
});

test("a person who is asked about a save sees the text before and after", async () => {
  const previews: (Preview | undefined)[] = [];
  const { call, file, sources, registry } = await createBench(
    { "a.md": "one\n" },
    {
      policy: createPolicy({ mode: () => "ask", layers: [] }),
      approver: async (request) => {
        previews.push(await request.preview());
        return { approved: true, by: "a person" };
      },
    },
  );
  registry.register(createBlockTools({ blocks: createBlocks({ sources, store: createMemoryBlockStore() }), sources }));
  await call("block", { op: "load", label: "a.md" });
  await call("block_edit", { op: "replace", label: "a.md", old: "one", new: "two" });
  await call("block", { op: "save", label: "a.md" });
  expect(previews).toContainEqual({
    description: "Save the block to file:///a.md",
    before: "one\n",
    after: "two\n",
  });
  expect(file.texts.get("a.md")).toBe("two\n");
  expect(previews).toContainEqual({ description: "block op=load label=a.md" });
});
