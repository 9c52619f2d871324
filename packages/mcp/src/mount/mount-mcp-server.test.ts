import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Effect, Envelope } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry, type ToolRegistry } from "@ikigai/core/host";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fixtureRegistry } from "../../fixtures/registry.mjs";
import { createMcpServer } from "../serve/mcp-server.ts";
import { serveHttp } from "../serve/http/serve-http.ts";
import { eventually } from "../testing/harness.ts";
import { mcpResources } from "./mcp-resources.ts";
import { type MountedMcpServer, mountMcpServer, type MountMcpServerOptions } from "./mount-mcp-server.ts";

const changing = fileURLToPath(new URL("../../fixtures/changing-server.mjs", import.meta.url));
let folder: string;
let registry: ToolRegistry;
let effects: Effect[];
let mounted: MountedMcpServer | undefined;
const warn = vi.fn<(message: string) => void>();

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "ikigai-mount-"));
  effects = [];
  const judge = (effect: Effect): undefined => void effects.push(effect);
  registry = createToolRegistry({ policy: createPolicy({ mode: () => "all", layers: [{ name: "seen", judge }] }) });
  warn.mockClear();
});
afterEach(async () => {
  await mounted?.close();
  mounted = undefined;
  await rm(folder, { recursive: true });
});

async function mount(
  env: Record<string, string> = {},
  options: Partial<MountMcpServerOptions> = {},
): Promise<MountedMcpServer> {
  mounted = await mountMcpServer({
    name: "my-server",
    server: { command: process.execPath, args: [changing], env: { STARTED: path.join(folder, "started"), ...env } },
    registry,
    warn,
    restart: { firstMs: 10, maxMs: 50 },
    ...options,
  });
  return mounted;
}

function call(name: string, args: Record<string, unknown> = {}): Promise<Envelope> {
  return registry.call({ name: `my_server__${name}`, arguments: args });
}

async function starts(): Promise<number> {
  return (await readFile(path.join(folder, "started"), "utf8")).trim().split("\n").length;
}

test("tools of a mounted MCP server join the registry under names, descriptions and schemas that are safe", async () => {
  const running = await mount();
  const { state, tools } = running.status();
  expect(state).toBe("ready");
  expect(tools).toHaveLength(9);
  const cards = registry.snapshot().cards;
  const weather = cards.filter(({ name }) => name.startsWith("my_server__get_weather_"));
  expect(new Set(weather.map(({ name }) => name)).size).toBe(2);
  expect(weather[0]).toMatchObject({
    title: "Weather",
    description: "Says the weather. hidden",
    inputSchema: { properties: { city: { description: "ab" } }, required: ["city"] },
  });
  expect(weather[1]?.description).toBe("The tool get-weather_ of the MCP server my-server.");
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("anyOf at the root"));
});

test("a call runs under the effects of its server and comes back as data", async () => {
  await mount();
  expect(await call("union", { input: { a: "x" } })).toEqual({ success: true, data: { text: 'union: {"a":"x"}' } });
  expect(effects).toEqual([{ action: "execute", target: "mcp://my-server/union" }]);
  expect(await call("picture")).toEqual({
    success: true,
    data: {
      text: "look\n\nembedded",
      other: [
        "image image/png, 3 bytes, not kept",
        "resource notes://a",
        "resource notes://c application/octet-stream, 3 bytes, not kept",
      ],
    },
  });
  expect(await call("bad")).toEqual({ success: false, code: "conflict", error: "bad of my-server failed: no luck" });
  expect(await call("bad", { x: 1 })).toMatchObject({ success: false, code: "invalid_input" });
  const [weather] = mounted?.status().tools ?? [];
  expect(await registry.call({ name: weather ?? "", arguments: {} })).toMatchObject({
    code: "invalid_input",
    error: expect.stringContaining("city: is required") as string,
  });
});

test("nothing that a server started survives it, whether it is closed, dies or never came up", async () => {
  const seconds = String(process.hrtime.bigint());
  const running = await mount({ LEAVE: seconds });
  expect(sleeping(seconds)).toBe(1);
  await call("die");
  await eventually(async () => (await starts()) === 2 && running.status().state === "ready");
  await eventually(() => sleeping(seconds) === 1);
  await running.close();
  expect(sleeping(seconds)).toBe(0);
  const failing = await mount({ LEAVE: seconds, FAIL: "1" });
  await failing.close();
  await eventually(() => sleeping(seconds) === 0);
});

test("a server whose program cannot be run is named", async () => {
  const running = await mount({}, { server: { command: "./no-such-server", cwd: folder } });
  expect(running.status()).toMatchObject({ state: "waiting", error: expect.stringContaining("./no-such-server") });
});

/** How many processes sleep for exactly that long. */
function sleeping(seconds: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${Number(pid)}/cmdline`, "latin1") === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  }).length;
}

test("a mounted MCP server is started with a listed environment", async () => {
  process.env["IKIGAI_TEST_SECRET"] = "s";
  await mount({ GIVEN: "1" });
  delete process.env["IKIGAI_TEST_SECRET"];
  const { data } = (await call("environment")) as { data: { data: Record<string, string> } };
  expect(data.data).toMatchObject({ GIVEN: "1", PATH: process.env["PATH"] });
  expect(data.data).not.toHaveProperty("IKIGAI_TEST_SECRET");
});

test("progress of a foreign tool comes through, and a cancelled call ends", async () => {
  await mount();
  const heard: string[] = [];
  const controller = new AbortController();
  const envelope = await registry.call(
    { name: "my_server__wait", arguments: {} },
    {
      signal: controller.signal,
      onProgress: (message) => {
        heard.push(message);
        if (message === "nearly") controller.abort();
      },
    },
  );
  expect(envelope).toMatchObject({ success: false, code: "aborted" });
  expect(heard).toEqual(["1 of 2", "2", "nearly"]);
});

test("a server that dies is started again, and the call that killed it is answered", async () => {
  const running = await mount();
  expect(await call("die")).toMatchObject({ success: false, code: "unavailable" });
  await eventually(() => running.status().state === "ready");
  expect(await starts()).toBe(2);
  expect(await call("union", { input: {} })).toMatchObject({ success: true });
  expect(warn).toHaveBeenCalledWith("my-server: I am [31mdying");
  expect(warn).toHaveBeenCalledWith("my-server: printed a line of 5000 bytes");
  expect(running.status().tools).toHaveLength(9);
});

test("a server that cannot start is tried again and again, and never takes us down", async () => {
  const running = await mount({ FAIL: "1" });
  expect(running.status()).toMatchObject({ state: "waiting", tools: [] });
  expect(running.status().error).toBeDefined();
  await eventually(async () => (await starts()) >= 3);
  await expect(running.use(async () => 1)).rejects.toMatchObject({ code: "unavailable" });
  await mounted?.close();
  expect(running.status().state).toBe("closed");
});

test("a tool that changed is withheld until it is trusted again", async () => {
  const running = await mount();
  const [weather = ""] = running.status().tools;
  expect(await call("evolve")).toMatchObject({ success: true });
  await eventually(() => running.status().withheld.length === 1);
  expect(running.status().withheld).toEqual([
    { tool: "Get Weather!", reason: "it changed and is not trusted again yet" },
  ]);
  expect(await registry.call({ name: weather, arguments: { city: "x" } })).toMatchObject({ code: "not_found" });
  expect(await call("union", { input: {} })).toMatchObject({ success: true });
  await running.review();
  expect(running.status().withheld).toHaveLength(1);
});

test("a person decides about trust in a foreign tool, at first sight and when it changed", async () => {
  const trust = vi.fn<NonNullable<MountMcpServerOptions["trust"]>>(({ tool, previous }) => {
    if (tool === "bad") return false;
    if (tool === "die") throw new Error("nobody there");
    return previous === undefined || Promise.resolve(true);
  });
  const running = await mount({}, { trust });
  expect(
    running
      .status()
      .withheld.map(({ tool }) => tool)
      .toSorted(),
  ).toEqual(["bad", "die"]);
  await call("evolve");
  await eventually(() => trust.mock.calls.some(([{ previous }]) => previous !== undefined));
  await eventually(() => running.status().tools.length === 7);
  const asked = trust.mock.calls.map(([request]) => request).find(({ previous }) => previous !== undefined);
  expect(asked).toMatchObject({
    server: "my-server",
    tool: "Get Weather!",
    description: "Now sends your files elsewhere.",
  });
  expect(asked?.fingerprint).not.toBe(asked?.previous);
});

test("tools that cannot be used are named and left out", async () => {
  registry = createToolRegistry();
  const long = "x".repeat(100_001);
  const tools = [{ name: "huge", inputSchema: { type: "object", description: long } }];
  const running = await mount({ MORE_TOOLS: JSON.stringify(tools) });
  expect(running.status().withheld).toEqual([
    { tool: "huge", reason: expect.stringContaining("100,000".replace(",", "")) as string },
  ]);
  expect(running.status().tools).toHaveLength(9);
});

// The second start of a server with 3,000 tools took 35 s and 4.8 GB: each tool was compared with all others.
test("of a server with 3,000 tools 512 are mounted and told of, each is looked at once per list, and no other server suffers", async () => {
  const trust = vi.fn<NonNullable<MountMcpServerOptions["trust"]>>(() => true);
  const register = vi.spyOn(registry, "register");
  const running = await mount({ MANY_TOOLS: "3000" }, { trust });
  const { state, tools, withheld, leftOut } = running.status();
  expect([state, tools.length, withheld]).toEqual(["ready", 512, []]);
  expect(leftOut).toMatch(/^2497 of 3009 tools are left out, the first is many503: at most 512 tools of a server/);
  expect(warn.mock.calls.filter(([line]) => line.includes("left out"))).toHaveLength(1);
  expect(trust).toHaveBeenCalledTimes(512);
  expect(register.mock.calls.flatMap(([added]) => added)).toHaveLength(512);
  expect(registry.snapshot().cards).toHaveLength(512);
  expect(await call("many502", { n: 1 })).toMatchObject({ success: true });
  expect(await call("many503")).toMatchObject({ code: "not_found" });
  // The same list again, and one with a change in it.
  expect(await call("evolve")).toMatchObject({ success: true });
  await eventually(() => trust.mock.calls.length > 512);
  await eventually(() => running.status().tools.length === 512);
  expect(trust).toHaveBeenCalledTimes(513);
  expect(register.mock.calls.flatMap(([added]) => added)).toHaveLength(513);
  expect(warn.mock.calls.filter(([line]) => line.includes("left out"))).toHaveLength(1);
});

test("resources of a mounted MCP server are a source that can only be read", async () => {
  const server = await mount();
  const sources = createSourceManager();
  await sources.mount({ mount: "their", source: mcpResources(server) });
  const { source, permission } = sources.routePrefix("their:///");
  expect(permission).toBe("read_only");
  const paths: string[] = [];
  for await (const { path: found } of source.list("")) paths.push(found);
  expect(paths).toEqual(["bin/pic", "file/etc/__/x", "notes/work/a b.md"]);
  expect(await source.read("notes/work/a b.md")).toMatchObject({ text: "A" });
  expect(await source.read("none")).toBeUndefined();
  await expect(source.read("bin/pic", { signal: new AbortController().signal })).rejects.toMatchObject({
    code: "unsupported",
  });
  expect(sources.status()[0]?.guidance).toContain("my-server");
  await server.close();
  await expect(source.list("")[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "unavailable" });
  await sources.close();
});

test("a server without resources is an empty source", async () => {
  const server = await mount({ NO_RESOURCES: "1" });
  const sources = createSourceManager();
  await sources.mount({ mount: "their", source: mcpResources(server) });
  const { source } = sources.routePrefix("their:///");
  expect(await source.list("")[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  await sources.close();
});

test("a server over HTTP is mounted, noticed when it is gone, and found again", async () => {
  const mcp = createMcpServer({ registry: fixtureRegistry().registry });
  const token = "0123456789abcdef";
  let serving = await serveHttp(mcp, { token });
  const spec = { url: serving.url, headers: { authorization: `Bearer ${token}` } };
  const running = await mount({}, { server: spec });
  expect(await call("echo", { text: "hi" })).toMatchObject({
    success: true,
    data: { text: expect.stringContaining("text: hi") },
  });
  expect(effects).toEqual([{ action: "network", target: "mcp://my-server/echo" }]);
  await serving.close();
  await eventually(async () => !(await call("echo", { text: "hi" })).success);
  serving = await serveHttp(mcp, { token, port: serving.port });
  await eventually(() => running.status().state === "ready");
  await eventually(async () => (await call("echo", { text: "again" })).success);
  await mounted?.close();
  await serving.close();
  mcp.close();
});

test("a name or a server that cannot be is refused", async () => {
  await expect(mount({}, { name: "No" })).rejects.toMatchObject({ code: "invalid_input" });
  await expect(mount({}, { name: "a__b" })).rejects.toMatchObject({ code: "invalid_input" });
  await expect(mount({}, { server: { url: "nowhere" } })).rejects.toMatchObject({ code: "invalid_input" });
  await expect(mount({}, { server: { command: "" } })).rejects.toMatchObject({ code: "invalid_input" });
});
