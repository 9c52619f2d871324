import { defineDataBlock, defineDataStream, IkigaiError } from "@ikigai/core";
import { createPolicy, createSourceManager } from "@ikigai/core/host";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { fixtureSources } from "../../../fixtures/registry.mjs";
import { eventually } from "../../testing/harness.ts";
import type { ResourcePart } from "./resources.ts";
import { sourceResources } from "./source-resources.ts";

const options = {
  actor: { agent: "a", conversation: "c", callId: "1", tool: "t" },
  signal: new AbortController().signal,
};

test("a long list comes in pages, also when an item between them vanished", async () => {
  const texts = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`n${index}.md`, ""]));
  const { sources, store } = await fixtureSources(texts);
  const resources = sourceResources({ sources, pageSize: 3 });
  const first = await resources.list(undefined, options);
  expect(first.items.map(({ name }) => name)).toEqual(["n0.md", "n1.md", "n2.md"]);
  store.delete("n2.md");
  const second = await resources.list(first.nextCursor, options);
  expect(second.items.map(({ name }) => name)).toEqual(["n3.md", "n4.md", "n5.md"]);
  const third = await resources.list(second.nextCursor, options);
  expect(third).toEqual({ items: [expect.objectContaining({ name: "n6.md" })] });
  for (const cursor of ["?", Buffer.from("other:///a").toString("base64url")]) {
    await expect(resources.list(cursor, options)).rejects.toMatchObject({ code: "invalid_input" });
  }
});

test("a long text comes in parts that say where it goes on", async () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index} 😀`).join("\n");
  const { sources } = await fixtureSources({ "a.md": lines, "b.txt": "😀".repeat(100) });
  const resources = sourceResources({ sources, maxChars: 101 });
  for (const [name, whole] of [
    ["a.md", lines],
    ["b.txt", "😀".repeat(100)],
  ] as const) {
    let uri: string | undefined = `memory:///${name}`;
    let text = "";
    const said: boolean[] = [];
    while (uri !== undefined) {
      const read = (await resources.read(uri, options)) ?? [];
      const parts = read as readonly Extract<ResourcePart, { text: string }>[];
      expect(parts[0]?.text.length).toBeLessThanOrEqual(101);
      expect(parts[0]?.text.isWellFormed()).toBe(true);
      text += parts[0]?.text ?? "";
      said.push(...parts.slice(1).map((part) => part.text.includes(`of ${whole.length} were shown. Read ${part.uri}`)));
      uri = parts[1]?.uri;
    }
    expect(text).toBe(whole);
    expect(new Set(said)).toEqual(new Set([true]));
  }
  await expect(resources.read("memory:///a.md?offset=99999", options)).rejects.toThrow("is behind");
});

test("only what is offered can be read, and only what the policy allows", async () => {
  const { sources } = await fixtureSources({ "a.md": "a", "secret.md": "s" });
  const none = sourceResources({ sources, mounts: () => [] });
  expect(await none.read("memory:///a.md", options)).toBeUndefined();
  expect((await none.list(undefined, options)).items).toEqual([]);
  expect(none.templates?.()).toEqual([]);
  const policy = createPolicy({
    layers: [
      {
        name: "secrets",
        judge: ({ target }) => (target.includes("secret") ? { decision: "deny", reason: "it is secret" } : undefined),
      },
    ],
  });
  const judged = sourceResources({ sources, policy });
  expect(await judged.read("memory:///a.md", options)).toHaveLength(1);
  await expect(judged.read("memory:///secret.md", options)).rejects.toMatchObject({ code: "permission_denied" });
  expect(await judged.read("host:///etc/passwd", options)).toBeUndefined();
});

test("paths are completed from the mount that is meant", async () => {
  const texts = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`n${index}`, ""]));
  const { sources } = await fixtureSources(texts);
  const { complete } = sourceResources({ sources });
  const ask = (template: string, name: string): Promise<readonly string[]> =>
    complete({ of: { template }, name, value: "n1", known: {} }, options);
  expect((await ask("memory:///{+path}", "path"))[0]).toBe("n1");
  expect(
    await complete({ of: { template: "memory:///{+path}" }, name: "path", value: "n", known: {} }, options),
  ).toHaveLength(101);
  expect(await ask("other:///{+path}", "path")).toEqual([]);
  expect(await ask("memory:///{+path}", "other")).toEqual([]);
});

test("a path is completed by the beginning of its name too, whatever its case", async () => {
  const { sources } = await fixtureSources({ "src/Parser.ts": "", "parts.md": "", "src/other.ts": "" });
  const { complete } = sourceResources({ sources });
  const ask = (value: string): Promise<readonly string[]> =>
    complete({ of: { template: "memory:///{+path}" }, name: "path", value, known: {} }, options);
  expect(await ask("par")).toEqual(["parts.md", "src/Parser.ts"]);
  expect(await ask("src/par")).toEqual([]);
});

test("changes are heard, also of what is mounted later; new texts change the list", async () => {
  const { sources, write, watchers } = await fixtureSources({ "a.md": "1" });
  const mounted = new Set<() => void>();
  const resources = sourceResources({
    sources,
    onMountsChange(listener) {
      mounted.add(listener);
      return { [Symbol.dispose]: () => void mounted.delete(listener) };
    },
  });
  const heard: string[] = [];
  const listed = vi.fn<() => void>();
  const list = resources.onListChange?.(listed);
  const watching = resources.onUpdate?.((uri) => heard.push(uri));
  await eventually(() => watchers.size === 1);
  write("a.md", "2");
  write("b.md", "1");
  await eventually(() => heard.length === 2);
  expect(heard).toEqual(["memory:///a.md", "memory:///b.md"]);
  expect(listed).toHaveBeenCalledOnce();
  for (const tell of mounted) tell();
  expect(watchers.size).toBe(1);
  expect(listed).toHaveBeenCalledTimes(2);
  watching?.[Symbol.dispose]();
  list?.[Symbol.dispose]();
  await eventually(() => watchers.size === 0);
  expect(mounted.size).toBe(0);
});

test("a watch that fails is reported; streams and plain sources are not watched", async () => {
  const sources = createSourceManager();
  const reader = { read: async () => undefined, async *list() {} };
  const plain = { options: z.object({}) };
  await sources.mount({
    mount: "broken",
    source: {
      ...plain,
      name: "broken",
      kind: "block",
      contract: 1,
      capabilities: ["watch"],
      open: async () => ({
        ...reader,
        // oxlint-disable-next-line require-yield
        async *watch() {
          throw new Error("too many files");
        },
      }),
    },
  });
  await sources.mount({
    mount: "plain",
    source: { ...plain, name: "plain", kind: "block", contract: 1, capabilities: [], open: async () => reader },
  });
  await sources.mount({
    mount: "stream",
    source: defineDataStream({ ...plain, name: "s", capabilities: [], open: async () => ({ async *events() {} }) }),
  });
  const warn = vi.fn<(message: string) => void>();
  const resources = sourceResources({ sources, warn });
  expect((await resources.templates?.())?.map(({ name }) => name)).toEqual(["broken", "plain"]);
  using _ = resources.onUpdate?.(() => {}) as Disposable;
  await eventually(() => warn.mock.calls.length > 0);
  expect(warn).toHaveBeenCalledWith("broken is no longer watched: too many files");
  await sources.close();
});

test("a mount that is down is left out of lists and completions, and said", async () => {
  const { sources } = await fixtureSources({ "a.md": "a" });
  const down = defineDataBlock({
    name: "down",
    capabilities: [],
    options: z.unknown(),
    open: async () => ({
      read: () => Promise.reject(new IkigaiError("unavailable", "It is not running")),
      // oxlint-disable-next-line require-yield
      async *list() {
        throw new IkigaiError("unavailable", "It is not running");
      },
    }),
  });
  await sources.mount({ mount: "down", source: down });
  const warn = vi.fn<(message: string) => void>();
  const resources = sourceResources({ sources, warn });
  expect((await resources.list(undefined, options)).items.map(({ uri }) => uri)).toEqual(["memory:///a.md"]);
  const of = { template: "down:///{+path}" };
  expect(await resources.complete({ of, name: "path", value: "a", known: {} }, options)).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("down is left out"));
});

test("a mount that never answers is left out of lists and completions, said once, and tried again later", async () => {
  const { sources } = await fixtureSources({ "a.md": "a" });
  const never = new Promise<never>(() => undefined);
  let lists = 0;
  let isSilent = true;
  const far = defineDataBlock({
    name: "far",
    capabilities: [],
    options: z.unknown(),
    open: async () => ({
      read: () => never,
      async *list() {
        lists++;
        if (isSilent) await never;
        yield { path: "b.md" };
      },
    }),
  });
  await sources.mount({ mount: "far", source: far });
  const warn = vi.fn<(message: string) => void>();
  let time = 0;
  const resources = sourceResources({ sources, warn, waitMs: 20, now: () => time });
  const listed = async (): Promise<string[]> => (await resources.list(undefined, options)).items.map(({ uri }) => uri);
  expect(await listed()).toEqual(["memory:///a.md"]);
  expect(await listed()).toEqual(["memory:///a.md"]);
  const of = { template: "far:///{+path}" };
  expect(await resources.complete({ of, name: "path", value: "b", known: {} }, options)).toEqual([]);
  expect(lists).toBe(1);
  time = 30_000;
  expect(await resources.complete({ of, name: "path", value: "b", known: {} }, options)).toEqual([]);
  await vi.waitFor(() => expect(lists).toBe(2));
  expect(warn.mock.calls).toEqual([[expect.stringContaining("far:/// did not answer within 20 ms")]]);
  await expect(resources.read("far:///b.md", options)).rejects.toMatchObject({ code: "timeout" });
  isSilent = false;
  time = 60_000;
  // Nobody waits for the mount; the list has its texts once it has answered, and clients are told so.
  const changed = vi.fn<() => void>();
  resources.onListChange?.(changed);
  expect(await listed()).toEqual(["memory:///a.md"]);
  await vi.waitFor(async () => expect((await listed()).toSorted()).toEqual(["far:///b.md", "memory:///a.md"]));
  expect(changed).toHaveBeenCalled();
});

test("a URI that leaves its root is a wrong parameter", async () => {
  const { sources } = await fixtureSources({});
  await expect(sourceResources({ sources }).read("memory:///../../etc/passwd", options)).rejects.toMatchObject({
    code: "invalid_input",
  });
});

test("files of a folder are read by address and by their real URI, and are not listed", async () => {
  const { sources, write } = await fixtureSources({ "a b.md": "# A", "long.md": "x".repeat(30) }, "file");
  const folders = [
    { mount: "file", root: "/home/me/my project" },
    { mount: "file", root: "/private/project" },
  ];
  const resources = sourceResources({ sources, folders, isListed: () => false, maxChars: 20 });
  expect((await resources.list(undefined, options)).items).toEqual([]);
  for (const uri of ["file:///a%20b.md", "file:///home/me/my%20project/a%20b.md", "file:///private/project/a%20b.md"]) {
    expect(await resources.read(uri, options)).toEqual([{ uri, mimeType: "text/markdown", text: "# A" }]);
  }
  const real = "file:///private/project/long.md";
  expect(await resources.read(real, options)).toMatchObject([{ uri: real }, { uri: `${real}?offset=20` }]);
  expect(await resources.read(`${real}?offset=20`, options)).toMatchObject([{ text: "x".repeat(10) }]);
  await expect(resources.read("file:///etc/passwd", options)).rejects.toMatchObject({
    code: "not_found",
    hint: "Files are read below file:///home/me/my%20project, file:///private/project.",
  });
  const heard: string[] = [];
  let listed = 0;
  using _list = resources.onListChange?.(() => void listed++);
  using _updates = resources.onUpdate?.((uri) => void heard.push(uri));
  await eventually(() => {
    write("new.md", "n");
    return heard.includes("file:///home/me/my%20project/new.md") && heard.includes("file:///new.md");
  });
  expect(listed).toBe(0);
});
