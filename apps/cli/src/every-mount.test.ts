import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { closeSharedStore } from "./testing/open-workspace.ts";
import { openMountedWorkspace } from "./testing/mounted-workspace.ts";

afterAll(closeSharedStore);

const SLOW = 120_000;

test(
  "a block of a database, of a JSON file and of the store is loaded, edited and saved",
  { timeout: SLOW },
  async () => {
    await using workspace = await openMountedWorkspace();
    const { tool, call } = workspace;
    for (const mount of ["db", "kv", "ikigai"]) {
      const path = `${mount}:///blocks/save-${mount}.md`;
      await tool("file_write", { path, content: "one\n" });
      const { label } = await tool("block", { op: "load", label: path });
      await tool("block_edit", { op: "append", label, content: "two\n" });
      expect(await tool("block", { op: "diff", label })).toMatchObject({
        diff: expect.stringContaining("+two") as string,
      });
      expect(await tool("block", { op: "save", label })).toMatchObject({ modified: false });
      expect(await tool("file_read", { path })).toMatchObject({ content: "one\ntwo\n" });
      await tool("slash_command", { command: `/undo ${path}` });
      expect(await tool("file_read", { path })).toMatchObject({ content: "one\n" });
      await tool("block_edit", { op: "append", label, content: "three\n" });
      expect(await call("block", { op: "save", label })).toMatchObject({ code: "conflict" });
    }
    const { label } = await tool("block", { op: "load", label: "repo:///Plan.md" });
    await tool("block_edit", { op: "append", label, content: "more\n" });
    expect(await call("block", { op: "save", label })).toMatchObject({ code: "unsupported" });
  },
);

test("the commits of a text are its history, for a person and for the model", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace();
  const { tool, run, git, root } = workspace;
  await writeFile(join(root, ".sources/work/Plan.md"), "first\nsecond\n");
  git("commit", "--quiet", "--all", "--message=Add a second step");
  const { output: text } = await tool("slash_command", { command: "/history repo:///Plan.md" });
  const lines = (text as string).split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("Add a second step");
  expect(lines[1]).toContain("Begin the plan");
  expect(lines[0]).toContain("Ann");
  const shown = await run(["history", "repo:///Plan.md"]);
  expect(shown.out.split("\n")).toEqual(lines);
  const version = / {2}([0-9a-f]{7,}) {2}in repo/.exec(lines[1] as string)?.[1] as string;
  expect((await run(["diff", "repo:///Plan.md"])).out).toContain("+second");
  expect((await run(["diff", "repo:///Plan.md", version])).out).toContain("+first");
});

test("what the journal knows of a text is not shown a second time by its source", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace();
  const { tool } = workspace;
  const path = "ikigai:///blocks/twice.md";
  await tool("file_write", { path, content: "one" });
  const { output: text } = await tool("slash_command", { command: `/history ${path}` });
  expect((text as string).split("\n")).toHaveLength(1);
});

const TIMER = { use: "@ikigai/source-cron", mount: "timer", options: { everyMs: 50, text: "tick" } };

interface Event {
  readonly cursor: string;
  readonly text: string;
}

test("events of a stream are pulled once, and a new process goes on behind them", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace({ sources: [TIMER] });
  const { tool, call, restart } = workspace;
  const pull = async (more: object = {}): Promise<Event[]> =>
    (await tool("source", { op: "pull", source_id: "timer", wait_ms: 20_000, ...more }))["events"] as Event[];
  const [first] = await pull({ limit: 1 });
  expect(first).toMatchObject({ text: "tick" });
  const second = await pull({ limit: 1 });
  expect(Date.parse(second[0]?.cursor as string)).toBe(Date.parse(first?.cursor as string) + 50);
  expect((await pull({ after: first?.cursor as string, limit: 1 }))[0]).toEqual(second[0]);
  await restart();
  const [next] = await pull({ limit: 1 });
  expect(Date.parse(next?.cursor as string)).toBe(Date.parse(second[0]?.cursor as string) + 50);
  await restart();
  const printed = await workspace.run([
    "tool",
    "source",
    '{"op":"pull","source_id":"timer","limit":1,"wait_ms":20000}',
  ]);
  const answer = JSON.parse(printed.out) as { data: { events: Event[] } };
  expect(Date.parse(answer.data.events[0]?.cursor as string)).toBe(Date.parse(next?.cursor as string) + 50);
  expect(await call("source", { op: "pull", source_id: "file" })).toMatchObject({ code: "unsupported" });
  expect(await call("source", { op: "pull", source_id: "nothing" })).toMatchObject({ code: "not_found" });
});

test("a stream that was configured anew begins where it can, and says so", { timeout: SLOW }, async () => {
  const beats = (cursor: string): string => `
    import { defineDataStream, IkigaiError } from ${JSON.stringify(new URL("../../../packages/core/dist/index.js", import.meta.url).href)};
    const options = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
    export const beats = defineDataStream({
      name: "beats", capabilities: ["replay"], options,
      open: async () => ({
        async *events({ signal, after }) {
          if (after !== undefined && after !== ${JSON.stringify(cursor)}) throw new IkigaiError("invalid_input", "no such beat " + after);
          if (after === undefined) yield { cursor: ${JSON.stringify(cursor)}, at: new Date(0), text: "beat" };
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
      }),
    });`;
  await using workspace = await openMountedWorkspace({ sources: [{ use: "./beats.mjs", mount: "beats" }] });
  const { tool, restart, complaints, configFolder } = workspace;
  const pull = { op: "pull", source_id: "beats", wait_ms: 20_000 };
  await writeFile(join(configFolder, "beats.mjs"), beats("1"));
  expect(await tool("source", pull)).toMatchObject({ events: [{ text: "beat", cursor: "1" }] });
  await restart();
  expect(await tool("source", { ...pull, wait_ms: 0 })).toMatchObject({ events: [] });
  await restart();
  // A module is imported once per process, so the other stream is another file.
  await writeFile(join(configFolder, "other.mjs"), beats("2"));
  await workspace.configure({ sources: [{ use: "./other.mjs", mount: "beats" }] });
  expect(await tool("source", pull)).toMatchObject({ events: [{ cursor: "2" }] });
  expect(complaints).toContainEqual(expect.stringContaining("no such beat 1"));
});

const BOX = `
  import { defineDataBlock, defineTool, IkigaiError } from ${JSON.stringify(new URL("../../../packages/core/dist/index.js", import.meta.url).href)};
  const schema = (properties) => ({ "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: "object", properties }), output: () => ({ type: "object", properties }) } } });
  class Box {
    #texts = new Map();
    async read(path) { const text = this.#texts.get(path); return text === undefined ? undefined : { text, version: text }; }
    async *list(prefix) { for (const path of [...this.#texts.keys()].sort()) if (path.startsWith(prefix)) yield { path }; }
    async write(path, text, { expected } = {}) {
      const now = this.#texts.get(path) ?? null;
      if (expected !== undefined && expected !== now) throw new IkigaiError("conflict", path + " changed");
      this.#texts.set(path, text);
      return { text, version: text };
    }
    async remove(path) { if (!this.#texts.delete(path)) throw new IkigaiError("not_found", path); }
  }
  export const box = defineDataBlock({
    name: "box", capabilities: ["write", "remove"], options: schema({}),
    open: async () => new Box(),
    tools: (source, { mount }) => [defineTool({
      name: mount + "_put", description: "Puts a text.", input: schema({ path: { type: "string" }, text: { type: "string" } }),
      effects: ({ path }) => [{ action: "update", target: mount + ":///" + path }],
      run: async ({ path, text }, context) => {
        await source.write(path, text, { actor: context, signal: context.signal });
        return { path };
      },
    })],
  });`;

test("what a plugin's own tool writes is in history and audit, and can be undone", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace({ sources: [{ use: "./box.mjs", mount: "box" }] });
  const { tool, configFolder } = workspace;
  await writeFile(join(configFolder, "box.mjs"), BOX);
  await tool("box_put", { path: "a.md", text: "one" });
  await tool("box_put", { path: "a.md", text: "two" });
  const { output: text } = await tool("slash_command", { command: "/history box:///a.md" });
  expect((text as string).split("\n")).toHaveLength(2);
  expect(text).toContain("box_put");
  await tool("slash_command", { command: "/undo box:///a.md" });
  expect(await tool("file_read", { path: "box:///a.md" })).toMatchObject({ content: "one" });
  expect(await tool("glob", { pattern: "box:///**" })).toMatchObject({ paths: ["box:///a.md"] });
  expect(await tool("read_note", { name: "box:///a" })).toMatchObject({ content: "one" });
  await vi.waitFor(async () => expect((await workspace.run(["audit"])).out).toContain("box_put"), { timeout: 20_000 });
});

test("grep and glob search a database, a JSON file and a commit by their addresses", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace();
  const { tool } = workspace;
  await tool("file_write", { path: "db:///deep/a.md", content: "a needle\n" });
  await tool("file_write", { path: "kv:///b.md", content: "a needle\n" });
  for (const [mount, path] of [
    ["db", "db:///deep/a.md"],
    ["kv", "kv:///b.md"],
    ["repo", "repo:///Plan.md"],
  ]) {
    expect(await tool("glob", { pattern: `${mount}:///**/*.md` })).toMatchObject({ paths: [path] });
    const wanted = mount === "repo" ? "first" : "needle";
    expect(await tool("grep", { pattern: wanted, glob: `${mount}:///**` })).toMatchObject({ matches: [{ path }] });
  }
});
