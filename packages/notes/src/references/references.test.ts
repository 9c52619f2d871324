import { expect, test } from "vitest";
import { createMemoryBlock } from "../testing/memory-block.ts";
import { openNotebook } from "../testing/notebook.ts";
import { findReferences } from "./find-references.ts";
import { referencesTo } from "./references-to.ts";

const FILES = {
  "Plan.md": "See [[Idea]], ikigai:///notes/memo.md. and src/db/schema.sql, or ./src/app.ts; not a/b nor 1/2.",
  "Idea.md": "",
  "src/db/schema.sql": "-- see ../app.ts and docs/none.md",
  "src/app.ts": 'import "./db/schema.sql"; // [[Idea]] and ikigai:///notes/memo.md#top',
  "logo.png": "[[Idea]]",
  "docs/a.md": "src/db/schema.sql ikigai:///missing.md [[Nowhere]] https://x.y/src/app.ts",
};

test("addresses, wikilinks and paths in a text are listed in order with where they lead", async () => {
  const { index } = await openNotebook(FILES, { mounts: { ikigai: createMemoryBlock({ "notes/memo.md": "" }) } });
  const found = (text: string, from?: string): unknown[] =>
    findReferences(text, { graph: index.graph, ...(from !== undefined && { from }) }).map(
      ({ kind, text: written, to }) => [kind, written, to],
    );
  expect(found(FILES["Plan.md"], "file:///Plan.md")).toEqual([
    ["wikilink", "[[Idea]]", "file:///Idea.md"],
    ["address", "ikigai:///notes/memo.md", "ikigai:///notes/memo.md"],
    ["path", "src/db/schema.sql", "file:///src/db/schema.sql"],
    ["path", "./src/app.ts", "file:///src/app.ts"],
  ]);
  expect(found(FILES["src/db/schema.sql"], "file:///src/db/schema.sql")).toEqual([
    ["path", "../app.ts", "file:///src/app.ts"],
    ["path", "docs/none.md", null],
  ]);
  expect(found(FILES["docs/a.md"], "file:///docs/a.md")).toEqual([
    ["path", "src/db/schema.sql", "file:///src/db/schema.sql"],
    ["address", "ikigai:///missing.md", null],
    ["wikilink", "[[Nowhere]]", null],
  ]);
  expect(found("any text with [[Idea]] and src/app.ts and ../out/of.it")).toEqual([
    ["wikilink", "[[Idea]]", "file:///Idea.md"],
    ["path", "src/app.ts", "file:///src/app.ts"],
    ["path", "../out/of.it", null],
  ]);
});

test("references to a text are found backwards, whatever source holds them", async () => {
  const { index, sources, block } = await openNotebook(FILES, {
    mounts: { ikigai: createMemoryBlock({ "notes/memo.md": "see src/app.ts", "big.txt": "src/app.ts ".repeat(20) }) },
  });
  const referrers = async (uri: string): Promise<string[]> => {
    const all: string[] = [];
    for await (const { from } of referencesTo(uri, { sources, graph: index.graph, maxChars: 200 })) all.push(from);
    return all;
  };
  expect(await referrers("file:///src/app.ts")).toEqual([
    "file:///Plan.md",
    "file:///src/db/schema.sql",
    "ikigai:///notes/memo.md",
  ]);
  expect(await referrers("file:///Idea.md")).toEqual(["file:///Plan.md", "file:///src/app.ts"]);
  expect(await referrers("ikigai:///notes/memo.md")).toEqual(["file:///Plan.md", "file:///src/app.ts"]);
  block.beforeRead = () => {
    throw new Error("unreadable");
  };
  expect(await referrers("file:///src/app.ts")).toEqual(["ikigai:///notes/memo.md"]);
});

test("hostile text is searched as quickly as any", () => {
  const graph = { get: () => undefined, resolve: () => undefined, hasFile: () => false, mounts: () => [] } as never;
  for (const unit of ["a/", "/", "a.b/c", "../", "x:///", "ikigai:///", "[[", "a/b//", "@-+."]) {
    expect(findReferences(unit.repeat(100_000 / unit.length), { graph })).toBeDefined();
  }
});
