import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Blocks, DataBlock, Envelope, PlanContext } from "@ikigai/core";
import {
  type ApprovalMode,
  type ApprovalRequest,
  createPolicy,
  createSourceManager,
  createToolRegistry,
  type SourceManager,
  type ToolRegistry,
} from "@ikigai/core/host";
import { recordingSource, type Touch, undeclaredTouches } from "@ikigai/core/testing";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { fileSource } from "../file-source.ts";
import { FILE_OPERATIONS, type FileOperation } from "./file-tool-input.ts";
import type { FileSourceOptions } from "../options.ts";
import { plainBlocks } from "../testing/plain-blocks.ts";
import { createWorkspace } from "../testing/workspace.ts";

interface Bench {
  readonly root: string;
  readonly registry: ToolRegistry;
  readonly sources: SourceManager;
  readonly asked: ApprovalRequest[];
  readonly take: () => readonly Touch[];
  readonly call: (args: object) => Promise<Envelope>;
}

async function setUp(
  mode: ApprovalMode = "all",
  options: Partial<FileSourceOptions> = {},
  mount = "file",
): Promise<Bench> {
  const { root } = createWorkspace();
  const asked: ApprovalRequest[] = [];
  const recording = recordingSource(fileSource);
  const blocks: Blocks = plainBlocks(
    mount,
    () => sources.route(`${mount}:///x`).source as DataBlock<"write" | "remove">,
  );
  const registry: ToolRegistry = createToolRegistry({
    policy: createPolicy({
      mode: () => mode,
      layers: [{ name: "source", judge: (effect, facts) => sources.policyLayer.judge(effect, facts) }],
    }),
    approver: (request) => {
      asked.push(request);
      return Promise.resolve({ approved: true, by: "test" });
    },
  });
  const sources: SourceManager = createSourceManager({ registry, services: { blocks }, workspace: mount });
  await sources.mount({ mount, source: recording.definition, options: { root, ...options } });
  onTestFinished(() => sources.close());
  return {
    root,
    registry,
    sources,
    asked,
    take: () => recording.take(),
    call: (args) => registry.call({ name: "file", arguments: args }),
  };
}

const dataOf = (envelope: Envelope): Record<string, unknown> => {
  if (!envelope.success) throw new Error(envelope.error);
  return envelope.data as Record<string, unknown>;
};
const codeIn = (envelope: Envelope): string => (envelope.success ? "success" : envelope.code);

test("load, edit, diff, save: nothing reaches the disk before the save", async () => {
  const { root, call } = await setUp();
  writeFileSync(`${root}/a.md`, "one\n");
  const { label } = dataOf(await call({ op: "load", path: "a.md" }));
  expect(label).toMatch(/^file:[0-9a-f]{8}:a\.md$/);
  dataOf(await call({ op: "append", path: "a.md", content: "two\n" }));
  dataOf(await call({ op: "replace", path: "file:///a.md", old: "one", new: "1" }));
  expect(readFileSync(`${root}/a.md`, "utf8")).toBe("one\n");
  expect(dataOf(await call({ op: "diff", label }))["diff"]).toContain("+1\ntwo");
  expect(dataOf(await call({ op: "status" }))["blocks"]).toMatchObject([{ modified: true, source: "unchanged" }]);
  dataOf(await call({ op: "save", label }));
  expect(readFileSync(`${root}/a.md`, "utf8")).toBe("1\ntwo\n");
});

test("a save over somebody else's edit is a conflict that says what to do", async () => {
  const { root, call } = await setUp();
  writeFileSync(`${root}/a.md`, "one\n");
  await call({ op: "load", path: `${root}/a.md` });
  writeFileSync(`${root}/a.md`, "theirs\n");
  expect(dataOf(await call({ op: "status", path: "a.md" }))["blocks"]).toMatchObject([{ source: "changed" }]);
  const saved = await call({ op: "save", path: "a.md" });
  expect(saved).toMatchObject({ success: false, code: "conflict" });
  expect(JSON.stringify(saved)).toContain("use `file load` to refresh");
  expect(readFileSync(`${root}/a.md`, "utf8")).toBe("theirs\n");
  dataOf(await call({ op: "reload", path: "a.md" }));
  expect(codeIn(await call({ op: "save", path: "a.md" }))).toBe("success");
});

test("merge brings the file and the block's edits together, by path and by label", async () => {
  const { root, call, registry } = await setUp();
  writeFileSync(`${root}/a.md`, "one\n");
  const { label } = dataOf(await call({ op: "load", path: "a.md" }));
  await call({ op: "append", path: "a.md", content: "mine\n" });
  for (const by of [{ path: "a.md" }, { label }]) {
    writeFileSync(`${root}/a.md`, "one\ntheirs\n");
    expect(codeIn(await call({ op: "save", ...by }))).toBe("conflict");
    dataOf(await call({ op: "merge", ...by }));
    expect(readFileSync(`${root}/a.md`, "utf8")).toBe("one\ntheirs\n");
    dataOf(await call({ op: "save", ...by }));
    expect(readFileSync(`${root}/a.md`, "utf8")).toContain("theirs\n");
    await call({ op: "append", path: "a.md", content: "more\n" });
  }
  expect(codeIn(await call({ op: "merge", path: "not-loaded" }))).toBe("not_found");
  const plan = { agent: "a", conversation: "c", callId: "1", tool: "file", signal: new AbortController().signal };
  expect(await registry.get("file")?.effects({ op: "merge", path: "a.md" }, plan)).toEqual([
    { action: "read", target: "file:///a.md" },
    { action: "update", target: `block:///${String(label)}` },
  ]);
});

test.each([
  { op: "create", path: "new.md", content: "a\0b" },
  { op: "append", path: "a.md", content: "a\0b" },
  { op: "replace", path: "a.md", old: "one", new: "a\0b" },
])("a NUL character in $op is refused before anything is touched", async (args) => {
  const { root, call, take } = await setUp();
  writeFileSync(`${root}/a.md`, "one\n");
  await call({ op: "load", path: "a.md" });
  take();
  const refused = await call(args);
  expect(refused).toMatchObject({ code: "invalid_input", error: expect.stringContaining("contains a NUL character") });
  expect(take()).toEqual([]);
  expect(existsSync(`${root}/new.md`)).toBe(false);
  expect(dataOf(await call({ op: "status", path: "a.md" }))["blocks"]).toMatchObject([{ modified: false }]);
});

test("create never overwrites, and delete asks first", async () => {
  const { root, call, asked } = await setUp("edits");
  expect(codeIn(await call({ op: "create", path: "new/a.md", content: "text" }))).toBe("success");
  expect(codeIn(await call({ op: "create", path: "new/empty.md" }))).toBe("success");
  expect(asked.length).toBe(0);
  expect(codeIn(await call({ op: "create", path: "new/a.md", content: "other" }))).toBe("conflict");
  expect(dataOf(await call({ op: "delete", path: "new/a.md" }))).toEqual({ deleted: "file:///new/a.md" });
  expect(asked.map(({ verdicts }) => verdicts.map(({ effect }) => effect))).toEqual([
    [{ action: "delete", target: "file:///new/a.md" }],
  ]);
  expect(existsSync(`${root}/new/a.md`)).toBe(false);
});

test("a person who is asked sees both texts", async () => {
  const { root, call, asked, registry } = await setUp("ask");
  writeFileSync(`${root}/a.md`, "one\n");
  const plan: PlanContext = {
    agent: "a",
    conversation: "c",
    callId: "1",
    tool: "file",
    signal: new AbortController().signal,
  };
  const preview = (args: object): unknown => registry.get("file")?.preview?.(args, plan);
  await call({ op: "load", path: "a.md" });
  await call({ op: "append", path: "a.md", content: "two\n" });
  const block = expect.stringMatching(/^block:\/\/\/file:[0-9a-f]{8}:a\.md$/) as string;
  expect(asked.map(({ verdicts }) => verdicts[0]?.effect)).toEqual([
    { action: "create", target: block },
    { action: "append", target: block },
  ]);
  expect(await preview({ op: "save", path: "a.md" })).toEqual({
    description: "file save file:///a.md",
    before: "one\n",
    after: "one\ntwo\n",
  });
  expect(await preview({ op: "delete", path: "a.md" })).toEqual({
    description: "file delete file:///a.md",
    before: "one\n",
  });
  expect(await preview({ op: "create", path: "b.md", content: "x" })).toEqual({
    description: "file create file:///b.md",
    after: "x",
  });
  expect(await preview({ op: "status" })).toEqual({ description: "file status file:///" });
});

test("list takes a glob, stays in one folder unless told otherwise, and heeds .gitignore", async () => {
  const { root, call } = await setUp();
  mkdirSync(`${root}/src/deep`, { recursive: true });
  for (const path of ["a.ts", "src/b.ts", "src/b.log", "src/deep/c.ts", "src/deep/d.md"])
    writeFileSync(`${root}/${path}`, "12345");
  writeFileSync(`${root}/.gitignore`, "*.log\n");
  const list = async (args: object): Promise<unknown> => {
    const { entries } = dataOf(await call({ op: "list", ...args })) as { entries: { path: string }[] };
    return entries.map(({ path }) => path);
  };
  expect(await list({})).toEqual([".gitignore", "a.ts", "folder/", "src/"]);
  expect(await list({ path: "src" })).toEqual(["src/b.ts", "src/deep/"]);
  expect(await list({ pattern: "*.ts" })).toEqual(["a.ts"]);
  expect(await list({ pattern: "*.ts", recursive: true })).toEqual(["a.ts", "src/b.ts", "src/deep/c.ts"]);
  expect(await list({ pattern: "src/**/*.{ts,md}" })).toEqual(["src/b.ts", "src/deep/c.ts", "src/deep/d.md"]);
  expect(await list({ path: "src", pattern: "deep/*.md" })).toEqual(["src/deep/d.md"]);
  expect(await list({ path: "no/such/folder" })).toEqual([]);
  const { entries } = dataOf(await call({ op: "list", path: "src", pattern: "b.ts" })) as { entries: object[] };
  expect(entries).toEqual([{ path: "src/b.ts", bytes: 5, modified_at: expect.stringMatching(/Z$/) as string }]);
  expect(codeIn(await call({ op: "list", pattern: "{a" }))).toBe("invalid_input");
});

test("a long list says that there is more", async () => {
  const { root, call } = await setUp();
  for (let at = 0; at < 1_001; at++) writeFileSync(`${root}/folder/${at}`, "");
  const { entries, more } = dataOf(await call({ op: "list", path: "folder" })) as { entries: unknown[]; more: boolean };
  expect({ shown: entries.length, more }).toMatchObject({ more: true });
});

test.each([
  [{ op: "load" }, "invalid_input"],
  [{ op: "load", label: "file:00000000:a" }, "invalid_input"],
  [{ op: "load", path: "a", extra: 1 }, "invalid_input"],
  [{ op: "save" }, "invalid_input"],
  [{ op: "save", path: "a", label: "b" }, "invalid_input"],
  [{ op: "save", label: "file:00000000:a" }, "not_found"],
  [{ op: "save", label: "persona" }, "not_found"],
  [{ op: "append", path: "a" }, "invalid_input"],
  [{ op: "replace", path: "a", old: "x" }, "invalid_input"],
  [{ op: "append", path: "not-loaded", content: "x" }, "not_found"],
  [{ op: "load", path: "../a" }, "permission_denied"],
  [{ op: "load", path: "/etc/passwd" }, "permission_denied"],
  [{ op: "load", path: "ikigai:///a" }, "permission_denied"],
  [{ op: "load", path: "" }, "invalid_input"],
  [{ op: "move", path: "a" }, "invalid_input"],
])("%j is answered with %s", async (args, code) => {
  const { call } = await setUp();
  expect(codeIn(await call(args))).toBe(code);
});

test("the tool comes and goes with the source, and only where blocks are", async () => {
  const { registry, sources } = await setUp();
  expect(registry.get("file")).toBeDefined();
  await sources.unmount("file");
  expect(registry.get("file")).toBeUndefined();
  expect((await setUp("all", { tool: false })).registry.get("file")).toBeUndefined();
  expect((await setUp("all", { tool: "papers" })).registry.get("papers")).toBeDefined();
  expect((await setUp("all", {}, "host")).registry.get("file")).toBeUndefined();
  const bare = createToolRegistry();
  const { root } = createWorkspace();
  const alone = createSourceManager({ registry: bare });
  await alone.mount({ mount: "file", source: fileSource, options: { root } });
  expect(bare.snapshot().cards).toEqual([]);
  expect(alone.status()[0]?.guidance).toContain("file:///");
  await alone.close();
});

test("whatever is asked, nothing is touched beyond what was declared", async () => {
  const { call, registry, root, take } = await setUp();
  const text = fc.constantFrom(
    "a.md",
    "folder/b.md",
    "c/d.md",
    "file:///a.md",
    "",
    ".",
    "../x",
    "x",
    "**",
    "*.md",
    "folder",
  );
  const maybe = fc.option(text, { nil: undefined });
  const input = fc.record(
    {
      op: fc.constantFrom(...(Object.keys(FILE_OPERATIONS) as FileOperation[])),
      path: maybe,
      content: maybe,
      old: maybe,
      new: maybe,
      pattern: maybe,
      recursive: fc.boolean(),
    },
    { requiredKeys: ["op"] },
  );
  const plan: PlanContext = {
    agent: "a",
    conversation: "c",
    callId: "1",
    tool: "file",
    signal: new AbortController().signal,
  };
  await fc.assert(
    fc.asyncProperty(input, async (one) => {
      const args = Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined));
      writeFileSync(`${root}/a.md`, "text");
      take();
      const effects = await Promise.resolve()
        .then(() => registry.get("file")?.effects(args, plan) ?? [])
        .catch(() => []);
      await call(args);
      expect(undeclaredTouches(take(), effects, "file")).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
