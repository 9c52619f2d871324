import { defineDataBlock, type Envelope, IkigaiError } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { z } from "zod";
import { createFileTools } from "../files/file-tools.ts";
import { createShortPlaces } from "./short-places.ts";
import { createTextSource } from "../testing/text-source.test.helper.ts";

/** File tools over a workspace and a store, which hold the given texts. */
async function open(
  files: Record<string, string> | undefined,
  stored: Record<string, string>,
): Promise<{
  call: (name: string, args: object) => Promise<Envelope>;
  read: (address: string) => Promise<string | undefined>;
}> {
  const sources = createSourceManager();
  if (files !== undefined) {
    await sources.mount({ mount: "file", source: createTextSource("file", files).definition, options: {} });
  }
  await sources.mount({ mount: "ikigai", source: createTextSource("ikigai", stored).definition, options: {} });
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  const short = createShortPlaces({ sources, assetMount: "ikigai", workspace: "file" });
  registry.register(createFileTools({ sources }).map(short.shorten));
  return {
    call: (name, args) => registry.call({ name, arguments: args }),
    async read(address) {
      const { source, address: place } = sources.route(address);
      return (await source.read(place.path))?.text;
    },
  };
}

test("a stored text is named by its path, with or without .md", async () => {
  const { call, read } = await open({ "a.md": "file" }, { "blocks/x.md": "stored", "skills/y": "skill" });
  expect(await call("file_read", { path: "blocks/x" })).toMatchObject({ data: { content: "stored" } });
  expect(await call("file_read", { path: "blocks/x.md" })).toMatchObject({ data: { content: "stored" } });
  expect(await call("file_read", { path: "skills/y" })).toMatchObject({ data: { content: "skill" } });
  expect(await call("file_edit", { path: "blocks/x", old: "stored", new: "kept" })).toMatchObject({ success: true });
  expect(await read("ikigai:///blocks/x.md")).toBe("kept");
  expect(await call("file_move", { from: "blocks/x", to: "out.md" })).toMatchObject({
    data: { from: "ikigai:///blocks/x.md", to: "file:///out.md" },
  });
  expect(await call("file_delete", { path: "skills/y" })).toMatchObject({ data: { deleted: "ikigai:///skills/y" } });
});

test("the preview of a change by a short path shows the stored text that would change", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: createTextSource("file").definition, options: {} });
  const stored = createTextSource("ikigai", { "blocks/x.md": "stored" });
  await sources.mount({ mount: "ikigai", source: stored.definition, options: {} });
  const previews: unknown[] = [];
  const registry = createToolRegistry({
    policy: createPolicy({ mode: () => "ask" }),
    approver: async ({ preview }) => {
      previews.push(await preview());
      return { approved: false };
    },
  });
  const short = createShortPlaces({ sources, assetMount: "ikigai", workspace: "file" });
  registry.register(createFileTools({ sources }).map(short.shorten));
  await registry.call({ name: "file_edit", arguments: { path: "blocks/x", old: "stored", new: "kept" } });
  expect(previews).toEqual([{ description: "Edit ikigai:///blocks/x.md", before: "stored", after: "kept", count: 1 }]);
  expect(stored.texts.get("blocks/x.md")).toBe("stored");
});

test("a file of the workspace is read before a stored text of the same path", async () => {
  const { call } = await open({ "blocks/x.md": "file" }, { "blocks/x.md": "stored" });
  expect(await call("file_read", { path: "blocks/x.md" })).toMatchObject({ data: { content: "file" } });
  expect(await call("file_read", { path: "ikigai:///blocks/x.md" })).toMatchObject({ data: { content: "stored" } });
});

test("a change that could land in either place is refused with both addresses, and changes nothing", async () => {
  const { call, read } = await open({ "blocks/x.md": "one" }, { "blocks/x.md": "one" });
  for (const [name, args] of [
    ["file_edit", { path: "blocks/x.md", old: "one", new: "two" }],
    ["file_write", { path: "blocks/x.md", content: "two" }],
    ["file_delete", { path: "blocks/x.md" }],
    ["file_move", { from: "blocks/x.md", to: "y.md" }],
  ] as const) {
    expect(await call(name, args), name).toMatchObject({
      code: "ambiguous",
      error: expect.stringContaining("Write file:///blocks/x.md or ikigai:///blocks/x.md"),
    });
  }
  expect([await read("blocks/x.md"), await read("ikigai:///blocks/x.md")]).toEqual(["one", "one"]);
  expect(await call("file_edit", { path: "./blocks/x.md", old: "one", new: "two" })).toMatchObject({ success: true });
  expect([await read("blocks/x.md"), await read("ikigai:///blocks/x.md")]).toEqual(["two", "one"]);
});

test("a new text in a folder of the store needs its address, unless the workspace has that folder", async () => {
  const bare = await open({ "a.md": "" }, {});
  expect(await bare.call("file_write", { path: "blocks/new.md", content: "x" })).toMatchObject({ code: "ambiguous" });
  expect(await bare.read("blocks/new.md")).toBeUndefined();
  expect(await bare.call("file_write", { path: "ikigai:///blocks/new.md", content: "x" })).toMatchObject({
    success: true,
  });
  expect(await bare.call("file_write", { path: "other/new.md", content: "x" })).toMatchObject({ success: true });
  const folder = await open({ "skills/a.md": "" }, { "skills/b.md": "" });
  expect(await folder.call("file_write", { path: "skills/new.md", content: "x" })).toMatchObject({ success: true });
  expect(await folder.read("file:///skills/new.md")).toBe("x");
});

test("a path outside the folders of the store is not expanded", async () => {
  const { call } = await open({ "a.md": "" }, { "blocks/x.md": "stored" });
  for (const path of ["./blocks/x.md", "x", "blocks", "docs/blocks/x.md", "file:///blocks/x.md"]) {
    expect(await call("file_read", { path }), path).toMatchObject({ code: "not_found" });
  }
  expect(await call("file_read", { path: "blocks/../../x" })).toMatchObject({ code: "permission_denied" });
});

test("where no workspace is mounted a short address is one of the store", async () => {
  const { call, read } = await open(undefined, { "blocks/x.md": "stored" });
  expect(await call("file_read", { path: "blocks/x" })).toMatchObject({ data: { content: "stored" } });
  expect(await call("file_write", { path: "blocks/new.md", content: "x" })).toMatchObject({ success: true });
  expect(await read("ikigai:///blocks/new.md")).toBe("x");
});

test("where no workspace is mounted a folder of the store is one of the store, also while it is empty", async () => {
  const sources = createSourceManager();
  await sources.mount({
    mount: "ikigai",
    source: createTextSource("ikigai", { "blocks/x.md": "" }).definition,
    options: {},
  });
  const { expand } = createShortPlaces({ sources, assetMount: "ikigai", workspace: "file" });
  expect(await expand("blocks", "folder", planning)).toMatchObject({ place: "ikigai:///blocks" });
  expect(await expand("blocks/x", "folder", planning)).toMatchObject({ place: "ikigai:///blocks/x.md" });
  expect(await expand("skills/", "folder", planning)).toMatchObject({ place: "ikigai:///skills" });
});

test("the label of a block is meant before a file and a stored text", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: createTextSource("file", {}).definition, options: {} });
  const stored = createTextSource("ikigai", { "blocks/x.md": "", "blocks/y.md": "" });
  await sources.mount({ mount: "ikigai", source: stored.definition, options: {} });
  const isLabel = async (text: string): Promise<boolean> => text === "blocks/x";
  const { expand } = createShortPlaces({ sources, assetMount: "ikigai", workspace: "file", isLabel });
  expect(await expand("blocks/x", "label", planning)).toEqual({ place: "blocks/x", looked: [] });
  expect(await expand("blocks/y", "label", planning)).toMatchObject({ place: "ikigai:///blocks/y.md" });
});

/** Where a short address leads, and which addresses were looked at. */
async function expander(
  files: Record<string, string>,
  stored: Record<string, string>,
): Promise<ReturnType<typeof createShortPlaces>["expand"]> {
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: createTextSource("file", files).definition, options: {} });
  await sources.mount({ mount: "ikigai", source: createTextSource("ikigai", stored).definition, options: {} });
  return createShortPlaces({ sources, assetMount: "ikigai", workspace: "file" }).expand;
}

const planning = { agent: "a", conversation: "c", callId: "1", tool: "grep", signal: new AbortController().signal };

test("a folder to search is one of the workspace before one of the store, and a stored text may be searched alone", async () => {
  const both = await expander({ "skills/a.md": "" }, { "skills/b.md": "", "blocks/x.md": "" });
  expect(await both("skills", "folder", planning)).toMatchObject({ place: "skills" });
  expect(await both("blocks/", "folder", planning)).toMatchObject({ place: "ikigai:///blocks" });
  expect(await both("blocks/x", "folder", planning)).toMatchObject({ place: "ikigai:///blocks/x.md" });
  expect(await both("preferences", "folder", planning)).toMatchObject({ place: "preferences" });
  expect(await both("skills/a.md", "folder", planning)).toMatchObject({ place: "skills/a.md" });
});

test("a tool that names no place, and an argument that is no text, stay as they are", async () => {
  const sources = createSourceManager();
  const short = createShortPlaces({ sources, assetMount: "ikigai", workspace: "file" });
  const [read] = createFileTools({ sources });
  if (read === undefined) throw new Error("no tool");
  const other = { ...read, name: "other" };
  expect(short.shorten(other)).toBe(other);
  expect(await short.expand("blocks\\x", "read", planning)).toEqual({ place: "blocks\\x", looked: [] });
});

test("a place that cannot be asked does not hold a text, and a text that cannot be read is there", async () => {
  const sources = createSourceManager();
  let code: "unavailable" | "unsupported" | undefined = "unavailable";
  const difficult = defineDataBlock({
    name: "difficult",
    options: z.strictObject({}),
    capabilities: [],
    open: async () => ({
      async read() {
        if (code === undefined) throw new TypeError("a defect");
        throw new IkigaiError(code, "not now");
      },
      // oxlint-disable-next-line require-yield
      async *list() {
        if (code === undefined) throw new TypeError("a defect");
        throw new IkigaiError(code, "not now");
      },
    }),
  });
  await sources.mount({ mount: "file", source: difficult, options: {} });
  await sources.mount({
    mount: "ikigai",
    source: createTextSource("ikigai", { "blocks/x.md": "" }).definition,
    options: {},
  });
  const { expand } = createShortPlaces({ sources, assetMount: "ikigai", workspace: "file" });
  expect(await expand("blocks/x", "read", planning)).toMatchObject({ place: "ikigai:///blocks/x.md" });
  expect(await expand("blocks", "folder", planning)).toMatchObject({ place: "ikigai:///blocks" });
  code = "unsupported";
  expect(await expand("blocks/x", "read", planning)).toMatchObject({ place: "blocks/x" });
  code = undefined;
  await expect(expand("blocks/x", "read", planning)).rejects.toThrow("a defect");
  await expect(expand("blocks", "folder", planning)).rejects.toThrow("a defect");
});
