import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineDataBlock } from "@ikigai/core";
import { createPolicy, createSourceManager } from "@ikigai/core/host";
import { expect, test } from "vitest";
import * as z from "zod";
import { findPlace, openLocal } from "./search-place.ts";
import { memoryTexts } from "../testing/memory-texts.ts";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

function write(host: TestHost, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(host.root, path)), { recursive: true });
    writeFileSync(join(host.root, path), text);
  }
}

const TREE = {
  "src/a.ts": "alpha\nneedle one\nomega\n",
  "src/b.ts": "Needle two\n",
  "src/deep/c.md": "a needle and a needle\n",
  ".github/w.yml": "needle hidden\n",
  ".gitignore": "dist/\n*.log\n",
  "dist/out.js": "needle built\n",
  "x.log": "needle logged\n",
  ".git/config": "needle of git\n",
};

test("grep finds lines in the order of their paths, with counts", async () => {
  await using host = await openTestHost();
  write(host, TREE);
  expect(await host.data("grep", { pattern: "needle" })).toEqual({
    matches: [
      { path: ".github/w.yml", line: 1, text: "needle hidden" },
      { path: "src/a.ts", line: 2, text: "needle one" },
      { path: "src/deep/c.md", line: 1, text: "a needle and a needle" },
    ],
    count: 3,
    left: 0,
  });
});

test("grep narrows by path, glob and case, and shows lines around", async () => {
  await using host = await openTestHost();
  write(host, TREE);
  const paths = async (input: object): Promise<unknown[]> =>
    ((await host.data("grep", { pattern: "needle", ...input }))["matches"] as { path: string }[]).map(
      ({ path }) => path,
    );
  expect(await paths({ path: "src" })).toEqual(["src/a.ts", "src/deep/c.md"]);
  expect(await paths({ path: "src/a.ts" })).toEqual(["src/a.ts"]);
  expect(await paths({ path: "file:///src/deep/" })).toEqual(["src/deep/c.md"]);
  expect(await paths({ ignore_case: true, glob: "*.ts" })).toEqual(["src/a.ts", "src/b.ts"]);
  expect(await paths({ glob: "src/**/*.{md,txt}" })).toEqual(["src/deep/c.md"]);
  expect(await paths({ glob: "!*.ts" })).toEqual([".github/w.yml", "src/deep/c.md"]);
  expect(await paths({ glob: "*.log" })).toEqual([]);
  expect(await paths({ glob: "**/d*/**" })).toEqual(["src/deep/c.md"]);
  expect(await host.data("grep", { pattern: "one", context: 1 })).toMatchObject({
    matches: [{ path: "src/a.ts", line: 2, text: "needle one", before: ["alpha"], after: ["omega"] }],
  });
});

test("grep shows the first matches by path whatever order they are found in, and counts the rest", async () => {
  await using host = await openTestHost();
  for (let file = 0; file < 300; file++) write(host, { [`f${String(file).padStart(3, "0")}.txt`]: "x\nx\nx\n" });
  const data = await host.data("grep", { pattern: "x", limit: 4 });
  expect(data).toMatchObject({ count: 900, left: 896 });
  expect((data["matches"] as { path: string; line: number }[]).map(({ path, line }) => `${path}:${line}`)).toEqual([
    "f000.txt:1",
    "f000.txt:2",
    "f000.txt:3",
    "f001.txt:1",
  ]);
});

test("grep shows a file with very many matches in part", async () => {
  await using host = await openTestHost();
  write(host, { "a.txt": "x\n".repeat(5_000) });
  const data = await host.data("grep", { pattern: "x", limit: 2, context: 1 });
  expect(data).toMatchObject({ count: 5_000, left: 4_998 });
  expect((data["matches"] as unknown[]).length).toBe(2);
});

test("a long line is shown around its match", async () => {
  await using host = await openTestHost();
  write(host, {
    "min.js": `${"a".repeat(5_000)}needle${"b".repeat(5_000)}`,
    "huge.js": `needle${"c".repeat(6_000_000)}`,
  });
  const data = await host.data("grep", { pattern: "needle" });
  const [huge, match] = data["matches"] as { path: string; text: string }[];
  expect(data).toMatchObject({ count: 2, left: 0 });
  expect(match).toMatchObject({ path: "min.js", column: 5_001, line_length: 10_006 });
  expect(match?.text).toMatch(/^…a{100}needleb{294}…$/);
  expect(huge).toMatchObject({ path: "huge.js", column: 1, line_length: 6_000_006 });
  expect(huge?.text).toMatch(/^needlec{394}…$/);
});

test.each([
  ["quotes, which JSON would escape", '"\\'],
  ["characters of several bytes", "é語👍"],
  ["letters", "ab"],
])(
  "a match in a line of 3 MB of %s is shown around itself, with its place, wherever the line is searched",
  async (_, text) => {
    const side = text.repeat(Math.ceil(1_500_000 / Buffer.byteLength(text)));
    const line = `${side}needle${side}`;
    const content = `one\n${line}\nlast needle\n`;
    await using host = await openTestHost({ mounts: { memory: memoryTexts(new Map([["a", content]])) } });
    write(host, { "sub/a.txt": content });
    const cut = {
      line: 2,
      column: side.length + 1,
      line_length: line.length,
      text: expect.stringMatching(/^…[^]{100}needle[^]{294}…$/) as string,
    };
    for (const path of ["sub", "sub/a.txt", "memory:///", "memory:///a"]) {
      for (const context of [0, 1]) {
        const { matches, count } = await host.data("grep", { pattern: "needle", path, context });
        expect(count, path).toBe(2);
        expect(matches, path).toMatchObject([cut, { line: 3, text: "last needle" }]);
        expect((matches as { text: string }[])[0]?.text, path).not.toContain("\uFFFD");
      }
    }
  },
);

test("names and lines that are not UTF-8 are shown", async () => {
  await using host = await openTestHost();
  writeFileSync(Buffer.concat([Buffer.from(`${host.root}/n`), Buffer.from([0xff])]), Buffer.from([0x78, 0xff, 0x0a]));
  write(host, { "new\nline": "x\r\n" });
  expect(await host.data("grep", { pattern: "x" })).toMatchObject({
    matches: [
      { path: "new\nline", text: "x" },
      { path: "n\uFFFD", text: "x\uFFFD" },
    ],
  });
});

test.each(["(", "((a{1000}){1000}){1000}", "\\p{Nope}", "(?=a)"])(
  "the pattern %j is refused in ripgrep's words",
  async (pattern) => {
    await using host = await openTestHost({ mounts: { memory: memoryTexts(new Map([["a", "b"]])) } });
    for (const path of [".", "memory:///"]) {
      const answer = await host.call("grep", { pattern, path });
      expect(answer).toMatchObject({ success: false, code: "invalid_input" });
      expect(JSON.stringify(answer)).toMatch(/The pattern cannot be used: (regex|compiled)/i);
    }
  },
);

test("patterns and paths are never taken for options", async () => {
  await using host = await openTestHost();
  write(host, { "--pre=sh/-x": "--files\n" });
  expect(await host.data("grep", { pattern: "--files", path: "--pre=sh" })).toMatchObject({
    matches: [{ path: "--pre=sh/-x", line: 1 }],
  });
  expect(await host.data("grep", { pattern: "-f", path: "--pre=sh/-x" })).toMatchObject({ count: 1 });
});

test("a hostile pattern on hostile text answers", async () => {
  await using host = await openTestHost({ mounts: { memory: memoryTexts(new Map([["a", "a".repeat(100_000)]])) } });
  write(host, { a: "a".repeat(100_000) });
  for (const path of [".", "memory:///"]) {
    expect(await host.data("grep", { pattern: "^(a+)+$|(a|aa)+b", path })).toMatchObject({ count: 1 });
  }
});

test("no link leads out of the root", async () => {
  await using outside = await openTestHost();
  await using host = await openTestHost();
  write(outside, { secret: "needle\n" });
  symlinkSync(outside.root, join(host.root, "folder"));
  symlinkSync(join(outside.root, "secret"), join(host.root, "file"));
  expect(await host.data("grep", { pattern: "needle" })).toMatchObject({ count: 0 });
  expect(await host.data("glob", { pattern: "**" })).toMatchObject({ count: 0 });
  for (const path of ["folder", "folder/secret", "file"]) {
    expect(await host.call("grep", { pattern: "needle", path })).toMatchObject({ code: "permission_denied" });
    expect(await host.call("glob", { pattern: "**", path })).toMatchObject({ code: "permission_denied" });
  }
});

test("a place that is absent or neither file nor folder is an error", async () => {
  await using host = await openTestHost({ mounts: { memory: memoryTexts(new Map()) } });
  expect(await host.call("grep", { pattern: "x", path: "absent" })).toMatchObject({ code: "not_found" });
  expect(await host.call("grep", { pattern: "x", path: "memory:///absent" })).toMatchObject({ code: "not_found" });
  expect(await host.call("grep", { pattern: "x", path: "nowhere:///a" })).toMatchObject({ code: "not_found" });
  await host.data("bash", { command: "mkfifo pipe" });
  expect(await host.call("grep", { pattern: "x", path: "pipe" })).toMatchObject({ code: "unsupported" });
});

test("the folder that was opened is searched, also when its name is given to another", async () => {
  await using host = await openTestHost();
  write(host, { "a/x": "1" });
  await using place = await openLocal(host.root, "a");
  rmSync(join(host.root, "a"), { recursive: true });
  symlinkSync("/etc", join(host.root, "a"));
  expect(place.cwd).toMatch(/^\/proc\/self\/fd\/\d+$/);
  await using system = await openLocal("/", "etc");
  expect(system.isFolder).toBe(true);
});

test("grep searches any other source, text by text", async () => {
  const texts = new Map([
    ["blocks/a.md", "first\nneedle a"],
    ["blocks/b.md", "needle b\nlast\n"],
    ["blocks2/c.md", "needle c\n"],
    ["empty.md", ""],
    ["notes/d.txt", "NEEDLE d\n"],
  ]);
  await using host = await openTestHost({ mounts: { ikigai: memoryTexts(texts) } });
  expect(await host.data("grep", { pattern: "needle", path: "ikigai:///blocks", context: 1 })).toEqual({
    matches: [
      { path: "ikigai:///blocks/a.md", line: 2, text: "needle a", before: ["first"], after: [] },
      { path: "ikigai:///blocks/b.md", line: 1, text: "needle b", before: [], after: ["last"] },
    ],
    count: 2,
    left: 0,
  });
  expect(
    await host.data("grep", { pattern: "needle", path: "ikigai:///", ignore_case: true, glob: "*.txt" }),
  ).toMatchObject({
    matches: [{ path: "ikigai:///notes/d.txt", line: 1 }],
  });
  expect(await host.data("grep", { pattern: "needle", path: "ikigai:///blocks/b.md" })).toMatchObject({ count: 1 });
  expect(await host.data("grep", { pattern: "needle", path: "ikigai:///", limit: 1 })).toMatchObject({
    count: 3,
    left: 2,
  });
  expect(await host.data("grep", { pattern: "nothing", path: "ikigai:///" })).toEqual({
    matches: [],
    count: 0,
    left: 0,
  });
});

test("a source of many texts is searched in bounded memory", async () => {
  const texts = new Map(Array.from({ length: 300 }, (_, index) => [`t${index}`, `${"x".repeat(20_000)}\nneedle\n`]));
  await using host = await openTestHost({ mounts: { memory: memoryTexts(texts) } });
  expect(await host.data("grep", { pattern: "^needle$", path: "memory:///", limit: 1_000 })).toMatchObject({
    count: 300,
  });
});

test("a search that takes too long answers with what it has", async () => {
  const stuck = defineDataBlock({
    name: "stuck",
    capabilities: [],
    options: z.unknown(),
    open: async () => ({
      read: async () => ({ text: "x", version: "1" }),
      async *list(_, { signal } = {}) {
        yield { path: "a" };
        if (signal?.aborted === false) await once(signal, "abort");
        yield { path: "b" };
      },
    }),
  });
  await using host = await openTestHost({ mounts: { stuck }, searchMs: 200 });
  const incomplete = expect.stringContaining("too long") as string;
  expect(await host.data("glob", { pattern: "*", path: "stuck:///" })).toMatchObject({
    paths: ["stuck:///a"],
    incomplete,
  });
  expect(await host.data("grep", { pattern: "x", path: "stuck:///" })).toMatchObject({ incomplete });
});

test("a search that is given up is aborted", async () => {
  await using host = await openTestHost({ mounts: { memory: memoryTexts(new Map([["a", "x"]])) } });
  const caller = new AbortController();
  const answer = host.call("grep", { pattern: "x", path: "memory:///" }, { signal: caller.signal });
  caller.abort();
  expect(await answer).toMatchObject({ code: "aborted" });
});

test("the effect of grep is a read of what it searches", async () => {
  await using host = await openTestHost({
    policy: () =>
      createPolicy({
        layers: [
          { name: "test", judge: ({ action, target }) => ({ decision: "deny", reason: `${action} ${target}` }) },
        ],
      }),
  });
  expect(JSON.stringify(await host.call("grep", { pattern: "x", path: "src" }))).toContain("read file:///src");
  expect(JSON.stringify(await host.call("glob", { pattern: "x" }))).toContain("read file:///");
});

test("grep without a workspace takes every path for an address", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "memory", source: memoryTexts(new Map()) });
  expect(findPlace(sources, "memory:///a").nameOf("a/b")).toBe("memory:///a/b");
});

test("a name with line breaks, a binary file and text that is no UTF-8 are reported as they are", async () => {
  await using host = await openTestHost();
  const rows = "needle row\n".repeat(20_000);
  write(host, {
    "a\n./b.txt": "needle\n",
    "big.bin": Buffer.concat([Buffer.from(rows), Buffer.from("\0\nneedle\n")]),
    "latin.txt": Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0xff, 0x0a]),
    "small.bin": "needle\n\0\n",
    "z.txt": "needle\r\n",
  });
  expect(await host.data("grep", { pattern: "needle", glob: "*.txt" })).toEqual({
    matches: [
      { path: "a\n./b.txt", line: 1, text: "needle" },
      { path: "latin.txt", line: 1, text: "needle\u{fffd}" },
      { path: "z.txt", line: 1, text: "needle" },
    ],
    count: 3,
    left: 0,
  });
  const all = await host.data("grep", { pattern: "needle", limit: 5 });
  expect(all["matches"]).toMatchObject([
    { path: "a\n./b.txt" },
    ...Array.from({ length: 4 }, () => ({ path: "big.bin" })),
  ]);
});

test("a match that is the empty end of a file shows its whole line", async () => {
  await using host = await openTestHost();
  write(host, { "s/t.txt": "one\n12:30 lunch", "s/u.js": "const a = 1;" });
  for (const pattern of ["$", "x?$", "[ \\t]*$"]) {
    expect(await host.data("grep", { pattern, path: "s" })).toMatchObject({
      matches: [{ text: "one" }, { text: "12:30 lunch" }, { path: "s/u.js", text: "const a = 1;" }],
    });
  }
});
