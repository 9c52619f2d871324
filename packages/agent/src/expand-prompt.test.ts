import { createSourceManager, type SourceManager } from "@ikigai/core";
import { memorySource } from "@ikigai/core/testing";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { expandPrompt } from "./expand-prompt.ts";
import { fence } from "./fence.ts";

let sources: SourceManager;
const put = async (address: string, text: string): Promise<void> => {
  const { source, address: at } = sources.route(address);
  await source.write?.(at.path, text);
};

beforeEach(async () => {
  sources = createSourceManager();
  for (const mount of ["file", "ikigai"]) await sources.mount({ mount, source: memorySource, options: {} });
  await put("src/auth.c", "one\ntwo\nthree");
  await put("my notes.md", "spaced");
  await put("ikigai:///blocks/auth-patterns.md", "patterns");
  await put("ikigai:///skills/ddd.md", "ddd");
});

test("files and assets go in behind the question, fenced with address and version", async () => {
  const { text, included } = await expandPrompt("Follow @@auth-patterns and update @src/auth.c.", { sources });
  expect(text).toMatch(
    /^Follow @@auth-patterns and update @src\/auth\.c\.\n\n```text address="ikigai:\/\/\/blocks\/auth-patterns\.md" version="/,
  );
  expect(text).toContain("\npatterns\n```");
  expect(text).toContain("one\ntwo\nthree");
  expect(included.map(({ uri }) => uri)).toEqual(["ikigai:///blocks/auth-patterns.md", "file:///src/auth.c"]);
});

test("an asset is found by its exact name, with .md, and under blocks/", async () => {
  for (const name of ["skills/ddd.md", "skills/ddd"]) {
    expect((await expandPrompt(`@@${name}`, { sources })).included[0]?.uri).toBe("ikigai:///skills/ddd.md");
  }
});

test("quoted paths may have spaces, and a range takes only its lines", async () => {
  expect((await expandPrompt('see @"my notes.md"', { sources })).text).toContain("\nspaced\n");
  expect((await expandPrompt("see @src/auth.c:2-3", { sources })).text).toContain("\ntwo\nthree\n");
  expect((await expandPrompt("see @src/auth.c:1", { sources })).text).toMatch(/\none\n```$/);
  for (const typed of ['@"src/auth.c":1', '@"src/auth.c:1"', '@"src/auth.c":1-1, please'])
    expect((await expandPrompt(typed, { sources })).text).toMatch(/\none\n```$/);
  await expect(expandPrompt("see @src/auth.c:9-10", { sources })).rejects.toMatchObject({ code: "invalid_input" });
});

test("what goes in is never expanded again, and cannot close its fence", async () => {
  await put("trap.md", "```\n@src/auth.c\n@@auth-patterns\n`````");
  const { text, included } = await expandPrompt("@trap.md", { sources });
  expect(included).toHaveLength(1);
  expect(text).toContain("``````text address=");
  expect(text).not.toContain("\npatterns\n");
});

test("a missing or too large target is said before anything is sent", async () => {
  await expect(expandPrompt("@no/such.c", { sources })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("no/such.c"),
  });
  await expect(expandPrompt("@@nothing", { sources })).rejects.toMatchObject({ code: "not_found" });
  await put("big.txt", "x".repeat(100));
  await expect(expandPrompt("@big.txt", { sources, maxChars: 50 })).rejects.toMatchObject({ code: "over_budget" });
  await expect(expandPrompt("@../secret", { sources })).rejects.toMatchObject({ code: "permission_denied" });
});

test("handles, addresses of people and code stay as they are", async () => {
  for (const text of ["ask @ann", "mail ann@example.org", "`@src/auth.c`", "a @ b", "@"]) {
    expect(await expandPrompt(text, { sources })).toEqual({ text, included: [] });
  }
});

test("the same file twice goes in once", async () => {
  expect((await expandPrompt("@src/auth.c and @src/auth.c", { sources })).included).toHaveLength(1);
});

test("no text can close its own fence", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("`", "a", "\n") }), (text) => {
      const [opening = "", ...rest] = fence(text, "a", "1").split("\n");
      const ticks = /^`+/.exec(opening)?.[0] ?? "";
      expect(rest.slice(0, -1).some((line) => line.startsWith(ticks))).toBe(false);
      expect(rest.at(-1)).toBe(ticks);
    }),
  );
});
