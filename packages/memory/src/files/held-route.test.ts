import type { Envelope } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { createFileTools } from "./file-tools.ts";
import { createTextSource, type TextSource } from "../testing/text-source.test.helper.ts";

// A path was routed for its effects and again for the run: one that came to mean another text in between, such as the URI
// of a file whose escaped twin appeared, was judged for the one and written at the other.

/** The file tools on a path that means `judged` until the call was judged, and `other` from then on. */
async function open(initial: Record<string, string>): Promise<{
  file: TextSource;
  call: (name: string, args: object) => Promise<Envelope>;
}> {
  let meant = "judged";
  const file = createTextSource("file", initial);
  const sources = createSourceManager({
    locateUri: (path) => (path === "either" ? { mount: "file", path: meant } : undefined),
  });
  await sources.mount({ mount: "file", source: file.definition, options: {} });
  const before = async (): Promise<undefined> => void (meant = "other");
  const registry = createToolRegistry({
    policy: createPolicy({ mode: () => "all" }),
    hooks: { before, after: async () => {} },
  });
  registry.register(createFileTools({ sources }));
  return {
    file,
    async call(name, args) {
      meant = "judged";
      return registry.call({ name, arguments: args });
    },
  };
}

const BOTH = { judged: "one", other: "two" };

test.each([
  ["file_write", { path: "file:///either", content: "new" }, {}, { judged: "new" }],
  [
    "file_edit",
    { path: "file:///either", old: "o", new: "0", replace_all: true },
    BOTH,
    { judged: "0ne", other: "two" },
  ],
  ["file_delete", { path: "file:///either" }, BOTH, { other: "two" }],
  ["file_move", { from: "file:///either", to: "moved" }, BOTH, { moved: "one", other: "two" }],
  ["file_move", { from: "start", to: "file:///either" }, { start: "s" }, { judged: "s" }],
] as const)(
  "%s %j changes the place that was judged, whatever its path means by then",
  async (name, args, initial, left) => {
    const { file, call } = await open(initial);
    expect(await call(name, args)).toMatchObject({ success: true });
    expect(Object.fromEntries(file.texts)).toEqual(left);
  },
);

test("file_read reads the place that was judged, whatever its path means by then", async () => {
  const { call } = await open(BOTH);
  expect(await call("file_read", { path: "file:///either" })).toMatchObject({ data: { content: "one" } });
});

test("file_write that replaces a text replaces the one that was judged", async () => {
  const { file, call } = await open(BOTH);
  await call("file_read", { path: "file:///either" });
  expect(await call("file_write", { path: "file:///either", content: "new" })).toMatchObject({ success: true });
  expect(Object.fromEntries(file.texts)).toEqual({ judged: "new", other: "two" });
});
