import { describe, expect, test } from "vitest";
import { createMemoryBlock } from "../testing/memory-block.ts";
import { openNotebook } from "../testing/notebook.ts";
import { parseReference } from "./reference.ts";

const NOTES = {
  "Home.md": "# Welcome",
  "projects/Home.md": "",
  "projects/work/Plan.md": "---\naliases: [Roadmap, Idea]\n---\n",
  "work/Plan.md": "",
  "archive/Idea.md": "",
  "network/Log.md": "---\ntitle: Diary\n---\n",
  "Größe.md": "",
  "CASE.md": "---\naliases: [Welcome]\n---\n",
  "a/Twice.md": "",
  "b/Twice.md": "",
  "slash.md": "---\naliases: [either/or]\n---\n",
};

describe("the first step that matches decides", () => {
  test.each([
    ["an exact path", "projects/Home", "projects/Home.md"],
    ["an exact path at the root, before the same name elsewhere", "Home", "Home.md"],
    [
      "brackets, embeds, extension, heading, block and alias",
      "![[projects/Home.md#Top#Sub|shown]]",
      "projects/Home.md",
    ],
    ["a name before an alias", "Idea", "archive/Idea.md"],
    ["an alias", "Roadmap", "projects/work/Plan.md"],
    ["a title", "Diary", "network/Log.md"],
    ["a folder by whole segments", "projects/work/Plan", "projects/work/Plan.md"],
    ["a folder by its last segments", "network/Log", "network/Log.md"],
    ["a path in another case", "PROJECTS/home", "projects/Home.md"],
    ["a name in another case", "case", "CASE.md"],
    ["a name composed otherwise", "gro\u0308ße", "Größe.md"],
    ["an alias in another case", "roadmap", "projects/work/Plan.md"],
    ["an alias with a slash", "either/or", "slash.md"],
    ["an address", "file:///work/Plan.md", "work/Plan.md"],
    ["an address without extension", "file:///work/Plan", "work/Plan.md"],
  ])("%s", async (_, reference, path) => {
    const { repository } = await openNotebook(NOTES);
    expect((await repository.resolver.resolve(reference)).uri).toBe(`file:///${path}`);
  });

  test("a path that is exact beats a longer one that only ends alike", async () => {
    const { repository } = await openNotebook(NOTES);
    expect((await repository.resolver.resolve("work/Plan")).uri).toBe("file:///work/Plan.md");
    await expect(repository.resolver.resolve("ork/Plan")).rejects.toMatchObject({ code: "not_found" });
  });
});

test("a heading and a block of a reference are handed on", async () => {
  const { repository } = await openNotebook(NOTES);
  expect(await repository.resolver.resolve("Home#A#B")).toMatchObject({ headings: ["A", "B"] });
  expect(await repository.resolver.resolve("[[Home#^b1|x]]")).toMatchObject({ headings: [], block: "b1" });
});

test("an ambiguous name lists its candidates with folder and time", async () => {
  const { repository } = await openNotebook(NOTES);
  const error: unknown = await repository.resolver.resolve("Twice").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "ambiguous",
    message: "Ambiguous note reference 'Twice': 2 matches",
    details: { error_type: "ambiguous", note_name: "Twice", match_count: 2 },
  });
  expect((error as { details: { candidates: unknown[] } }).details.candidates).toEqual([
    {
      name: "Twice",
      folder: "file:///a",
      uri: "file:///a/Twice.md",
      modified_at: expect.stringContaining("2024-01-01"),
    },
    {
      name: "Twice",
      folder: "file:///b",
      uri: "file:///b/Twice.md",
      modified_at: expect.stringContaining("2024-01-01"),
    },
  ]);
  expect((await repository.resolver.resolve("a/Twice")).uri).toBe("file:///a/Twice.md");
  expect((await repository.resolver.findMatches("twice")).map(({ uri }) => uri)).toEqual([
    "file:///a/Twice.md",
    "file:///b/Twice.md",
  ]);
});

test("the same path in two sources is ambiguous until the address is given", async () => {
  const { repository } = await openNotebook(NOTES, { mounts: { memo: createMemoryBlock({ "Home.md": "" }) } });
  await expect(repository.resolver.resolve("Home")).rejects.toMatchObject({ code: "ambiguous" });
  expect((await repository.resolver.resolve("memo:///Home.md")).uri).toBe("memo:///Home.md");
});

test("an unknown name suggests similar ones", async () => {
  const { repository } = await openNotebook(NOTES);
  await expect(repository.resolver.resolve("Homes")).rejects.toMatchObject({
    code: "not_found",
    details: { error_type: "not_found", note_name: "Homes", suggestions: ["Home", "Home"] },
  });
  await expect(repository.resolver.resolve("q")).rejects.toMatchObject({ details: { suggestions: [] } });
  expect(await repository.resolver.findMatches("zzz")).toEqual([]);
});

test.each(["", "  ", "[[]]", "a\0b", "a\nb", "x".repeat(1_001), "\ud800"])("%j names no note", async (reference) => {
  expect(() => parseReference(reference)).toThrow(expect.objectContaining({ code: "invalid_input" }));
});

test("a heading alone names no note", async () => {
  const { repository } = await openNotebook(NOTES);
  await expect(repository.resolver.resolve("#Heading")).rejects.toMatchObject({ code: "not_found" });
});

test("a name is available where nothing lies, whatever the case", async () => {
  const { repository } = await openNotebook({ ...NOTES, "x.md.md": "", "pic.png": "" });
  const { resolver } = repository;
  expect(await resolver.isAvailable("New")).toBe(true);
  expect(await resolver.isAvailable("Home")).toBe(false);
  expect(await resolver.isAvailable("home")).toBe(false);
  expect(await resolver.isAvailable("Home", "work")).toBe(true);
  expect(await resolver.isAvailable("Plan.md", "work")).toBe(false);
});
