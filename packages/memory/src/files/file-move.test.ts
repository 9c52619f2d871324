import { defineDataBlock, type Envelope, IkigaiError } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { z } from "zod";
import { createFileTools } from "./file-tools.ts";
import { createBench, createTextSource, type TextSource } from "../testing/text-source.test.helper.ts";

/** File tools over two writable sources and one that can only be read. */
async function open(): Promise<{
  file: TextSource;
  other: TextSource;
  call: (name: string, args: object) => Promise<Envelope>;
}> {
  const file = createTextSource("file", { "a.md": "one", "src/main.ts": "x" });
  const other = createTextSource("other", {});
  const readOnly = defineDataBlock({
    name: "fixed",
    options: z.strictObject({}),
    capabilities: [],
    open: async () => ({
      read: async (path) => (path === "r.md" ? { text: "r", version: "1" } : undefined),
      async *list() {
        yield { path: "r.md" };
      },
    }),
  });
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: file.definition, options: {} });
  await sources.mount({ mount: "other", source: other.definition, options: {} });
  await sources.mount({ mount: "fixed", source: readOnly, options: {} });
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  registry.register(createFileTools({ sources }));
  return { file, other, call: (name, args) => registry.call({ name, arguments: args }) };
}

test("a text is moved within a source and from one source to another", async () => {
  const { file, other, call } = await open();
  expect(await call("file_move", { from: "a.md", to: "b/c.md" })).toMatchObject({
    data: { from: "file:///a.md", to: "file:///b/c.md" },
  });
  expect(await call("file_move", { from: "b/c.md", to: "other:///d.md" })).toMatchObject({ success: true });
  expect([...file.texts.keys()]).toEqual(["src/main.ts"]);
  expect([...other.texts]).toEqual([["d.md", "one"]]);
});

test("a move never replaces a text, and needs two places and sources that can", async () => {
  const { file, call } = await open();
  expect(await call("file_move", { from: "a.md", to: "src/main.ts" })).toMatchObject({ code: "conflict" });
  expect(await call("file_move", { from: "a.md", to: "./a.md" })).toMatchObject({ code: "invalid_input" });
  expect(await call("file_move", { from: "a.md", to: "fixed:///a.md" })).toMatchObject({ code: "unsupported" });
  expect(await call("file_move", { from: "fixed:///r.md", to: "r.md" })).toMatchObject({ code: "unsupported" });
  expect(await call("file_delete", { path: "fixed:///r.md" })).toMatchObject({ code: "unsupported" });
  expect([...file.texts.keys()]).toEqual(["a.md", "src/main.ts"]);
});

test("a text that appears at the new place meanwhile is kept, and so is the moved one", async () => {
  const { file, call } = await open();
  file.interfere = (path) => void (path === "b.md" && file.texts.set("b.md", "theirs"));
  expect(await call("file_move", { from: "a.md", to: "b.md" })).toMatchObject({ code: "conflict" });
  expect([file.texts.get("a.md"), file.texts.get("b.md")]).toEqual(["one", "theirs"]);
});

test("a text that changes while it is moved stays where it is, and the copy is removed", async () => {
  const { file, call } = await open();
  file.interfere = () => void file.texts.set("a.md", "changed");
  expect(await call("file_move", { from: "a.md", to: "b.md" })).toMatchObject({ code: "conflict" });
  expect([...file.texts]).toEqual([
    ["a.md", "changed"],
    ["src/main.ts", "x"],
  ]);
});

test("a text is deleted in the version that was there", async () => {
  const { file, call } = await open();
  expect(await call("file_delete", { path: "a.md" })).toMatchObject({ data: { deleted: "file:///a.md" } });
  expect(file.texts.has("a.md")).toBe(false);
});

test.each([
  ["file_read", { path: "src/mian.ts" }],
  ["file_edit", { path: "src/mian.ts", old: "x", new: "y" }],
  ["file_delete", { path: "src/mian.ts" }],
  ["file_move", { from: "src/mian.ts", to: "b.ts" }],
])("%s of a file that is not there suggests one with a similar name", async (name, args) => {
  const { call } = await open();
  expect(await call(name, args)).toMatchObject({
    code: "not_found",
    error: expect.stringContaining("Did you mean file:///src/main.ts?"),
    details: { similar: ["file:///src/main.ts"] },
  });
  expect(await call("file_read", { path: "fixed:///R.md" })).toMatchObject({ details: { similar: ["fixed:///r.md"] } });
});

test("names are not suggested to an agent that may not read the whole source", async () => {
  const { registry, sources } = await createBench({ "secret-plan.md": "x" });
  registry.register(createFileTools({ sources }));
  const closed = createToolRegistry({
    policy: {
      judge: async (effect) => ({
        effect,
        decision: effect.target === "file:///" ? "deny" : "allow",
        needs: "mode",
        trace: [],
      }),
    },
  });
  closed.register(createFileTools({ sources }));
  const answer = await closed.call({ name: "file_read", arguments: { path: "secret-plan.txt" } });
  expect(answer).toMatchObject({ code: "not_found" });
  expect(JSON.stringify(answer)).not.toContain("secret-plan.md");
});

test("the question about a move shows both places", async () => {
  const { sources } = await createBench({ "a.md": "one" });
  const descriptions: (string | undefined)[] = [];
  const asking = createToolRegistry({
    policy: { judge: async (effect) => ({ effect, decision: "ask", needs: "person", trace: [] }) },
    approver: async (request) => {
      descriptions.push((await request.preview())?.description);
      return { approved: true, by: "ann" };
    },
  });
  asking.register(createFileTools({ sources }));
  expect(await asking.call({ name: "file_move", arguments: { from: "a.md", to: "b.md" } })).toMatchObject({
    success: true,
  });
  expect(descriptions).toEqual(["Move file:///a.md to file:///b.md"]);
});

test("a new place that cannot be written to keeps the old one, and the reason is told", async () => {
  const { file, call } = await open();
  file.interfere = () => {
    throw new IkigaiError("over_budget", "no room");
  };
  expect(await call("file_move", { from: "a.md", to: "b.md" })).toMatchObject({ code: "over_budget" });
  expect(file.texts.get("a.md")).toBe("one");
});

test("a move and a deletion are told in one line each", () => {
  const tools = createFileTools({ sources: createSourceManager() });
  const textOf = (name: string, data: object): unknown =>
    tools.find((tool) => tool.name === name)?.toText?.(data, { input: {} });
  expect(textOf("file_move", { from: "file:///a", to: "file:///b", version: "1" })).toBe(
    "Moved file:///a to file:///b (version: 1).",
  );
  expect(textOf("file_delete", { deleted: "file:///a" })).toBe("Deleted file:///a.");
});

test("a person sees from where to where a text moves, also when the place is taken", async () => {
  const { registry, sources } = await createBench({ "a.md": "one", "b.md": "two" });
  registry.register(createFileTools({ sources }));
  const signal = new AbortController().signal;
  const plan = { agent: "a", conversation: "one", callId: "1", tool: "file_move", signal };
  const preview = (from: string, to: string) => registry.get("file_move")?.preview?.({ from, to }, plan);
  expect(await preview("a.md", "c.md")).toEqual({ description: "Move file:///a.md to file:///c.md" });
  expect(await preview("a.md", "b.md")).toEqual({ description: "Move file:///a.md to file:///b.md" });
  await expect(preview("a.md", "a.md")).rejects.toMatchObject({ code: "invalid_input" });
});
