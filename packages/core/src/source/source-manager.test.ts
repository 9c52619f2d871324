import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { parsePrefix } from "../address.ts";
import { IkigaiError } from "../errors.ts";
import type { MemoryPermission } from "../policy/permission.ts";
import { createPolicy, type Action } from "../policy/policy.ts";
import {
  type AnySourceDefinition,
  type TextReader,
  defineDataBlock,
  defineDataStream,
  type SourceHost,
} from "./source.ts";
import { createSourceManager, requireCapability, type StreamNotice } from "./source-manager.ts";
import type { StreamCursors } from "./stream-place.ts";
import { createMemoryStore, memorySource } from "../testing/memory-source.ts";
import { createMemoryFeed, emit, memoryStream } from "../testing/memory-stream.ts";
import { type AnyTool, defineTool } from "../tool/tool.ts";
import { createToolRegistry } from "../tool/tool-registry.ts";

afterEach(() => void vi.useRealTimers());

const options = z.object({});
const reader: TextReader = { read: async () => undefined, async *list() {} };

function tool(name: string): AnyTool {
  return defineTool({ name, description: name, input: options, effects: () => [], run: async () => name });
}

const removing = { ...reader, remove: async () => {} };

interface Change {
  readonly capabilities?: readonly string[];
  readonly options?: unknown;
  readonly guidance?: (mount: string) => string;
  readonly open?: (options: unknown, host: SourceHost) => Promise<TextReader>;
  readonly tools?: () => readonly AnyTool[];
}

function block(change: Change = {}): AnySourceDefinition {
  return defineDataBlock({ name: "plain", capabilities: [], options, open: async () => reader, ...change } as never);
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("an address or a bare path is routed to its mount, whatever its spelling", async () => {
  const sources = createSourceManager({ workspace: "work" });
  await sources.mount({
    mount: "work",
    source: memorySource,
    options: { store: createMemoryStore({ "a.md": "text" }) },
  });
  await sources.mount({ mount: "notes", source: memorySource });
  for (const spelling of ["a.md", "./x/../a.md", "work:///a.md", "WORK:////a.md"]) {
    const { source, uri, address } = sources.route(spelling);
    expect([uri, address.path, (await source.read(address.path))?.text]).toEqual(["work:///a.md", "a.md", "text"]);
  }
  expect(sources.routePrefix("notes:///").address).toEqual({ mount: "notes", path: "" });
  expect(() => sources.route("notes:///")).toThrow(expect.objectContaining({ code: "invalid_input" }));
  await sources.close();
});

test("an address of an unknown mount is not found, and the hint names the mounts", async () => {
  const sources = createSourceManager();
  expect(() => sources.route("a.md")).toThrow(
    expect.objectContaining({ code: "not_found", hint: "Mount a source first." }),
  );
  await sources.mount({ mount: "notes", source: memorySource });
  expect(() => sources.route("a.md")).toThrow(expect.objectContaining({ hint: "Mounted are: notes." }));
  await expect(sources.unmount("file")).rejects.toMatchObject({ code: "not_found" });
  await sources.close();
});

test("who names no place where there is no workspace is told one that can be named", async () => {
  const sources = createSourceManager({ whyNoWorkspace: "only memory is served" });
  await sources.mount({ mount: "ticks", source: memoryStream, options: { feed: createMemoryFeed() } });
  expect(() => sources.routePrefix("")).toThrow(
    expect.objectContaining({
      message: 'No source is mounted as "file": only memory is served',
      hint: "Mounted are: ticks.",
    }),
  );
  await sources.mount({ mount: "kept", source: memorySource });
  expect(() => sources.routePrefix("")).toThrow(
    expect.objectContaining({ hint: "Mounted are: ticks, kept. Name a place there, such as the path kept:///." }),
  );
  expect(() => sources.routePrefix("other:///")).toThrow(
    expect.objectContaining({ hint: "Mounted are: ticks, kept." }),
  );
  await sources.close();
});

test("a path of the machine is denied unless it lies in a mount or the host is mounted", async () => {
  const locate = (absolute: string) =>
    absolute.startsWith("/ws/") ? { mount: "file", path: absolute.slice("/ws/".length) } : undefined;
  const sources = createSourceManager({ locate });
  await sources.mount({ mount: "file", source: memorySource });
  expect(sources.route("/ws/a.md").uri).toBe("file:///a.md");
  expect(() => sources.route("/etc/passwd")).toThrow(expect.objectContaining({ code: "permission_denied" }));
  await sources.mount({ mount: "host", source: memorySource });
  expect(sources.route("/etc/passwd").uri).toBe("host:///etc/passwd");
  await sources.close();
});

test("a URI of the workspace may name a file by its path of the machine; a bare path never does", async () => {
  const locateUri = (path: string) =>
    path.startsWith("ws/") ? { mount: "file", path: path.slice("ws/".length) } : undefined;
  const sources = createSourceManager({ locateUri });
  await sources.mount({ mount: "file", source: memorySource });
  await sources.mount({ mount: "notes", source: memorySource });
  const segment = fc.stringMatching(/^[a-z]{1,5}$/);
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const path = segments.join("/");
      expect(sources.route(`file:///ws/${path}`).uri).toBe(`file:///${path}`);
      expect(sources.route(`FILE:////ws/./${path}`).uri).toBe(`file:///${path}`);
      expect(sources.route(`ws/${path}`).address.path).toBe(`ws/${path}`);
      expect(sources.route(`notes:///ws/${path}`).uri).toBe(`notes:///ws/${path}`);
      fc.pre(segments[0] !== "ws");
      expect(sources.route(`file:///${path}`).uri).toBe(`file:///${path}`);
    }),
  );
  expect(sources.routePrefix("file:///").address.path).toBe("");
  await sources.close();
});

test("a mount registers the source's tools, and its end withdraws them and only them", async () => {
  const registry = createToolRegistry();
  registry.register([tool("other")]);
  const sources = createSourceManager({ registry });
  await sources.mount({ mount: "m", source: block({ tools: () => [tool("one"), tool("two")] }) });
  expect(sources.status("m")).toMatchObject([{ tools: ["one", "two"], state: "mounted", kind: "block" }]);
  expect(registry.snapshot().cards).toHaveLength(3);
  await sources.unmount("m");
  expect(registry.snapshot().cards.map(({ name }) => name)).toEqual(["other"]);
});

test("without a registry a source is mounted without its tools", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "m", source: block({ tools: () => [tool("one")] }) });
  expect(sources.status("m")).toMatchObject([{ tools: [] }]);
});

test("status tells of every mount in the order of mounting", async () => {
  const feed = createMemoryFeed();
  const sources = createSourceManager();
  await sources.mount({ mount: "b", source: block({ guidance: (mount) => `Use ${mount}:///.` }) });
  await sources.mount({ mount: "a", source: memoryStream, options: { feed } });
  emit(feed, "hello");
  await settle();
  expect(sources.status()).toEqual([
    {
      mount: "b",
      name: "plain",
      kind: "block",
      capabilities: [],
      tools: [],
      permission: "admin",
      state: "mounted",
      guidance: "Use b:///.",
    },
    {
      mount: "a",
      name: "memory-stream",
      kind: "stream",
      capabilities: ["replay"],
      tools: [],
      permission: "admin",
      state: "running",
      cursor: "1",
    },
  ]);
  expect(() => sources.status("c")).toThrow(expect.objectContaining({ code: "not_found" }));
  await sources.close();
  expect(sources.status()).toEqual([]);
});

test.each<[string, AnySourceDefinition, unknown, string]>([
  ["a contract of another time", { ...block(), contract: 2 as never }, {}, "unsupported"],
  ["a kind of another world", { ...block(), kind: "queue" as never }, {}, "unsupported"],
  ["options that are refused", block({ options: z.object({ root: z.string() }) }), {}, "invalid_input"],
  ["a capability that is not there", block({ capabilities: ["write"] }), {}, "unsupported"],
  ["a method that is not claimed", block({ open: async () => removing }), {}, "unsupported"],
  ["a tool name that is taken", block({ tools: () => [tool("fresh"), tool("taken")] }), {}, "conflict"],
])("%s: nothing is mounted", async (_, source, given, code) => {
  const registry = createToolRegistry();
  registry.register([tool("taken")]);
  const sources = createSourceManager({ registry });
  await expect(sources.mount({ mount: "m", source, options: given })).rejects.toMatchObject({ code });
  expect(sources.status()).toEqual([]);
  expect(registry.snapshot().cards).toHaveLength(1);
  await sources.mount({ mount: "m", source: block() });
});

test("a source that fails after it was opened is closed again, whatever its end says", async () => {
  const warnings: string[] = [];
  const closed: string[] = [];
  const hosts: SourceHost[] = [];
  const sources = createSourceManager({ warn: (mount, message) => void warnings.push(`${mount}: ${message}`) });
  const source = block({
    open: async (_: unknown, host: SourceHost) => {
      hosts.push(host);
      return {
        ...reader,
        async close() {
          closed.push(host.mount);
          throw new Error("already gone");
        },
      };
    },
    tools: () => {
      throw new Error("no tools today");
    },
  });
  await expect(sources.mount({ mount: "m", source })).rejects.toThrow("no tools today");
  expect([closed, warnings]).toEqual([["m"], ["m: did not close cleanly: already gone"]]);
  expect(hosts[0]?.signal.aborted).toBe(true);
});

test("a source that cannot open leaves nothing, and its signal is aborted", async () => {
  const hosts: SourceHost[] = [];
  const sources = createSourceManager();
  const source = block({
    open: async (_: unknown, host: SourceHost) => {
      hosts.push(host);
      throw new Error("no such server");
    },
  });
  await expect(sources.mount({ mount: "m", source })).rejects.toThrow("no such server");
  expect(hosts[0]?.signal.aborted).toBe(true);
});

test("a name is mounted once, also while it is still being opened, and must be a name", async () => {
  const sources = createSourceManager();
  const first = sources.mount({ mount: "m", source: block() });
  await expect(sources.mount({ mount: "m", source: block() })).rejects.toMatchObject({ code: "conflict" });
  await first;
  await expect(sources.mount({ mount: "m", source: block() })).rejects.toMatchObject({ code: "conflict" });
  await expect(sources.mount({ mount: "My Notes", source: block() })).rejects.toMatchObject({ code: "invalid_input" });
});

test("everything is unmounted last first, and one that fails to close does not keep the others", async () => {
  const closed: string[] = [];
  const warnings: string[] = [];
  const sources = createSourceManager({ warn: (mount, message) => void warnings.push(`${mount}: ${message}`) });
  const closing = (name: string, fails: boolean) =>
    block({
      open: async () => ({
        ...reader,
        async close() {
          closed.push(name);
          if (fails) throw new Error("busy");
        },
      }),
    });
  await sources.mount({ mount: "a", source: closing("a", false) });
  await sources.mount({ mount: "b", source: closing("b", true) });
  await sources.close();
  expect([closed, warnings]).toEqual([["b", "a"], ["b: did not close cleanly: busy"]]);
});

test("a source that does not stop or close by itself is left behind with a warning", async () => {
  vi.useFakeTimers();
  const warnings: string[] = [];
  const closed = vi.fn(async () => {});
  const sources = createSourceManager({ warn: (_, message) => void warnings.push(message) });
  const deaf = defineDataStream({
    name: "deaf",
    capabilities: [],
    options,
    open: async () => ({
      async *events() {
        yield await new Promise<never>(() => {});
      },
      close: closed,
    }),
  });
  await sources.mount({ mount: "s", source: deaf });
  const end = sources.unmount("s");
  await vi.advanceTimersByTimeAsync(5_000);
  await end;
  expect(warnings).toEqual(["did not close within 5000 ms and was left behind"]);
  expect(closed).toHaveBeenCalledOnce();
});

test("a source that is mounted while everything is unmounted does not stay", async () => {
  const closed = vi.fn(async () => {});
  const sources = createSourceManager();
  const mounting = sources.mount({ mount: "m", source: block({ open: async () => ({ ...reader, close: closed }) }) });
  await sources.close();
  await expect(mounting).rejects.toMatchObject({ code: "aborted" });
  expect(closed).toHaveBeenCalledOnce();
  expect(sources.status()).toEqual([]);
});

test("streams are paused, resumed and pulled by their mount; text is not", async () => {
  const feed = createMemoryFeed();
  const sources = createSourceManager({ keepEvents: 2 });
  await sources.mount({ mount: "s", source: memoryStream, options: { feed } });
  await sources.mount({ mount: "m", source: memorySource });
  const heard: StreamNotice[] = [];
  const listening = sources.onEvent((notice) => void heard.push(notice));
  sources.pause("s");
  expect(sources.status("s")).toMatchObject([{ state: "paused" }]);
  emit(feed, "a");
  await settle();
  expect(heard).toEqual([]);
  sources.resume("s");
  await settle();
  expect(heard).toMatchObject([{ mount: "s", event: { text: "a" } }]);
  for (const text of ["b", "c"]) emit(feed, text);
  await settle();
  expect(sources.pull("s").missed).toBe(1);
  expect(sources.pull("s", { limit: 1 }).events).toHaveLength(1);
  expect(heard.every(({ mount }) => mount === "s")).toBe(true);
  const before = heard.length;
  listening[Symbol.dispose]();
  emit(feed, "d");
  await settle();
  expect(heard).toHaveLength(before);
  expect(() => sources.pause("m")).toThrow(expect.objectContaining({ code: "unsupported" }));
  expect(() => sources.route("s:///a")).toThrow(expect.objectContaining({ code: "unsupported" }));
  await sources.close();
});

test("a listener that throws is warned about; the others and the stream go on", async () => {
  const feed = createMemoryFeed();
  const warnings: string[] = [];
  const sources = createSourceManager({ warn: (mount, message) => void warnings.push(`${mount}: ${message}`) });
  await sources.mount({ mount: "s", source: memoryStream, options: { feed } });
  const heard: string[] = [];
  sources.onEvent(() => {
    throw new Error("screen gone");
  });
  sources.onEvent(({ event }) => void heard.push(event.text));
  for (const text of ["a", "b"]) emit(feed, text);
  await settle();
  expect(heard).toEqual(["a", "b"]);
  expect(warnings).toEqual(Array(2).fill("s: a listener failed: screen gone"));
  expect(sources.status("s")).toMatchObject([{ state: "running" }]);
  await sources.close();
});

test("a stream that fails says so in its status and warns", async () => {
  const warnings: string[] = [];
  const sources = createSourceManager({ warn: (_, message) => void warnings.push(message) });
  const broken = defineDataStream({
    name: "broken",
    capabilities: [],
    options,
    guidance: "Never mind.",
    open: async () => ({
      events: () => {
        throw new Error("connection lost");
      },
    }),
  });
  await sources.mount({ mount: "s", source: broken });
  expect(sources.status("s")).toMatchObject([{ state: "failed", error: "connection lost", guidance: "Never mind." }]);
  expect(warnings).toEqual(["the stream failed: connection lost"]);
  await sources.close();
});

test("a capability that a source has not got is refused by name", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "m", source: memorySource });
  await sources.mount({ mount: "r", source: block() });
  expect(typeof requireCapability(sources.route("m:///a"), "write").write).toBe("function");
  expect(() => requireCapability(sources.route("r:///a"), "write")).toThrow('The source "r" cannot write');
  await sources.close();
});

function guarded(permission: (path: string) => MemoryPermission): AnySourceDefinition {
  return block({ open: async () => ({ ...reader, permission }) });
}

test("a path is as open as its source says, under the ceiling of the mount", async () => {
  const sources = createSourceManager();
  const source = guarded((path) => (path.startsWith("secret/") ? "read_only" : "admin"));
  await sources.mount({ mount: "m", source, permission: "append" });
  await sources.mount({ mount: "open", source: block() });
  expect(sources.route("m:///secret/a").permission).toBe("read_only");
  expect(sources.route("m:///a").permission).toBe("append");
  expect(sources.route("open:///a").permission).toBe("admin");
});

test("a refusal names the rule of the source that decided it", async () => {
  const sources = createSourceManager();
  const rules = { permission: () => "read_only" as const, permissionOrigin: () => 'the rule "*.lock"' };
  await sources.mount({ mount: "m", source: block({ open: async () => ({ ...reader, ...rules }) }) });
  const facts = { tool: "t", agent: "a", conversation: "c" };
  expect(sources.policyLayer.judge({ action: "update", target: "m:///a.lock" }, facts)).toEqual({
    decision: "deny",
    reason: 'm:///a.lock, by the rule "*.lock", is read_only, which does not allow update',
  });
});

test("a source learns which files are the host's own, and of a host that has none that there are none", async () => {
  const isOwn = (absolute: string, mount: string): boolean => absolute === `/state/${mount}`;
  for (const [options, own] of [
    [{ isOwn }, true],
    [{}, false],
  ] as const) {
    let host: SourceHost | undefined;
    const open = async (_: unknown, given: SourceHost): Promise<TextReader> => {
      host = given;
      return reader;
    };
    await createSourceManager(options).mount({ mount: "m", source: block({ open }) });
    expect([host?.isOwn?.("/state/m"), host?.isOwn?.("/state/other")]).toEqual([own, false]);
  }
});

test("the policy hears what sources and mounts allow, for every spelling of a place", async () => {
  const locate = (absolute: string) => parsePrefix(`m:///${absolute.replace("/ws/", "")}`, "");
  const sources = createSourceManager({ locate });
  await sources.mount({
    mount: "m",
    source: guarded((path) => (path === "a.md" ? "read_only" : "admin")),
    permission: "append",
  });
  const policy = createPolicy({ layers: [sources.policyLayer], mode: () => "all" });
  const facts = { tool: "t", agent: "a", conversation: "c" };
  const decide = async (action: Action, target: string) => (await policy.judge({ action, target }, facts)).decision;
  expect(await decide("update", "m:///a.md")).toBe("deny");
  expect(await decide("update", "m:///x/../a.md")).toBe("deny");
  expect(await decide("update", "host:///ws/a.md")).toBe("deny");
  expect(await decide("read", "m:///a.md")).toBe("allow");
  expect(await decide("append", "m:///b.md")).toBe("allow");
  expect(await decide("update", "m:///b.md")).toBe("deny");
  expect(await decide("update", "elsewhere:///b.md")).toBe("allow");
  expect(await decide("network", "example.org")).toBe("allow");
  expect(await decide("execute", String.raw`cat m:///a.md | tr \\n ' '`)).toBe("allow");
  expect(await decide("update", String.raw`m:///a\b`)).toBe("deny");
  expect(sources.policyLayer.judge({ action: "update", target: "m:///b.md" }, facts)).toMatchObject({
    reason: 'mount "m" is append, which does not allow update',
  });
  await sources.mount({ mount: "s", source: memoryStream });
  expect(await decide("update", "s:///x")).toBe("allow");
  await sources.close();
  const bare = createSourceManager();
  expect(bare.policyLayer.judge({ action: "read", target: "host:///x" }, facts)).toBeUndefined();
});

function keptCursors(initial: Record<string, string> = {}): StreamCursors & { readonly kept: Record<string, string> } {
  const kept = { ...initial };
  return {
    kept,
    load: async (mount) => kept[mount],
    async save(mount, cursor) {
      kept[mount] = cursor;
    },
  };
}

test("the next host gets the events of a stream that nobody took", async () => {
  const feed = createMemoryFeed();
  const cursors = keptCursors();
  const first = createSourceManager({ cursors });
  await first.mount({ mount: "s", source: memoryStream, options: { feed } });
  for (const text of ["a", "b", "c"]) emit(feed, text);
  await settle();
  first.taken("s", "1");
  first.taken("s", "2");
  expect(first.status("s")[0]).toMatchObject({ cursor: "3", taken: "2" });
  await first.close();
  expect(cursors.kept).toEqual({ s: "2" });
  const second = createSourceManager({ cursors });
  await second.mount({ mount: "s", source: memoryStream, options: { feed } });
  await settle();
  expect(second.pull("s").events.map(({ text }) => text)).toEqual(["c"]);
  await second.close();
});

test("a stream without replay begins anew, and only streams have a place", async () => {
  const feed = createMemoryFeed();
  const cursors = keptCursors({ s: "9" });
  const sources = createSourceManager({ cursors });
  await sources.mount({ mount: "s", source: { ...memoryStream, capabilities: [] }, options: { feed } });
  await sources.mount({ mount: "m", source: memorySource });
  expect(sources.status("s")[0]).not.toHaveProperty("taken");
  sources.taken("s", "1");
  expect(() => sources.taken("m", "1")).toThrow(expect.objectContaining({ code: "unsupported" }));
  await sources.close();
  expect(cursors.kept).toEqual({ s: "9" });
});

test("a place that cannot be read, kept or found is told, and the stream runs", async () => {
  const feed = createMemoryFeed();
  const warned: string[] = [];
  const broken = async (): Promise<never> => {
    throw new Error("disk full");
  };
  const warn = (_: string, message: string): void => void warned.push(message);
  const sources = createSourceManager({ cursors: { load: broken, save: broken }, warn });
  await sources.mount({ mount: "s", source: memoryStream, options: { feed } });
  emit(feed, "a");
  await settle();
  sources.taken("s", "1");
  await sources.close();
  const stale = defineDataStream({
    name: "stale",
    capabilities: ["replay"],
    options,
    open: async () => ({
      async *events({ signal, after }) {
        if (after !== undefined) throw new IkigaiError("invalid_input", "no such place");
        yield { cursor: "1", at: new Date(0), text: "a" };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    }),
  });
  const other = createSourceManager({ cursors: keptCursors({ s: "old" }), warn });
  await other.mount({ mount: "s", source: stale });
  await settle();
  expect(other.status("s")[0]).toMatchObject({ state: "running" });
  await other.close();
  expect(warned).toEqual([
    "its last place cannot be read, so it begins anew: disk full",
    "its place cannot be kept: disk full",
    "the stream begins anew, its last place is unknown: no such place",
  ]);
});
