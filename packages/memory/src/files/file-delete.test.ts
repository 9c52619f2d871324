import { defineDataBlock, type Preview } from "@ikigai/core";
import { createToolRegistry } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { z } from "zod";
import { createFileTools } from "./file-tools.ts";
import { type Bench, createBench } from "../testing/text-source.test.helper.ts";

async function withFiles(
  initial: Record<string, string>,
): Promise<Bench & { readonly previews: (Preview | undefined)[] }> {
  const previews: (Preview | undefined)[] = [];
  const bench = await createBench(initial);
  const registry = createToolRegistry({
    policy: { judge: async (effect) => ({ effect, decision: "ask", needs: "person", trace: [] }) },
    approver: async (request) => {
      previews.push(await request.preview());
      return { approved: true, by: "ann" };
    },
  });
  registry.register(createFileTools({ sources: bench.sources }));
  return { ...bench, registry, previews, call: (name, args) => registry.call({ name, arguments: args }) };
}

test("the question about a deletion shows the text that will be gone", async () => {
  const { call, previews, file } = await withFiles({ "a.md": "one\n" });
  expect(await call("file_delete", { path: "a.md" })).toMatchObject({ success: true });
  expect(previews).toMatchObject([{ description: "Delete file:///a.md", before: "one\n", after: "" }]);
  expect(file.texts.size).toBe(0);
});

test("a text that changes while a person thinks about its deletion stays, and the answer says why", async () => {
  const bench = await createBench({ "a.md": "one" });
  const registry = createToolRegistry({
    policy: { judge: async (effect) => ({ effect, decision: "ask", needs: "person", trace: [] }) },
    approver: async () => {
      bench.file.texts.set("a.md", "theirs");
      return { approved: true, by: "ann" };
    },
  });
  registry.register(createFileTools({ sources: bench.sources }));
  expect(await registry.call({ name: "file_delete", arguments: { path: "a.md" } })).toMatchObject({
    code: "conflict",
    error: expect.stringContaining("file:///a.md was changed meanwhile, and was not deleted"),
  });
  expect(bench.file.texts.get("a.md")).toBe("theirs");
});

test("a source that fails to delete for another reason says so itself", async () => {
  const { sources, registry, call } = await createBench();
  const stuck = defineDataBlock({
    name: "stuck",
    options: z.strictObject({}),
    capabilities: ["remove"],
    open: async () => ({
      read: async () => ({ text: "x", version: "1" }),
      async *list() {},
      remove: async () => {
        throw new Error("the disk is on fire");
      },
    }),
  });
  await sources.mount({ mount: "stuck", source: stuck, options: {} });
  registry.register(createFileTools({ sources }));
  expect(await call("file_delete", { path: "stuck:///x" })).toMatchObject({ success: false, code: "internal" });
});
