import { type AnyTool, defineTool, type HostServices, IkigaiError } from "@ikigai/core";
import {
  type AnyPart,
  createPolicy,
  createSeenVersions,
  createSourceManager,
  createToolRegistry,
  definePart,
  type OpenedPart,
  type PolicyLayer,
  type SourceManager,
  type ToolRegistry,
} from "@ikigai/core/host";
import { memorySource } from "@ikigai/core/testing";
import { createCommands } from "@ikigai/memory";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type ChosenPart, type OpenParts, openParts } from "./open-parts.ts";

declare module "@ikigai/core" {
  interface HostServices {
    readonly clock?: { now(): string };
  }
}

const layers: PolicyLayer[] = [];
const editable = new Set<string>();
const services: HostServices = {};
const warnings: string[] = [];
let registry: ToolRegistry;
let sources: SourceManager;
let commands: ReturnType<typeof createCommands>;

beforeEach(() => {
  layers.length = 0;
  editable.clear();
  warnings.length = 0;
  for (const name of Object.keys(services)) delete (services as Record<string, unknown>)[name];
  registry = createToolRegistry({ policy: createPolicy({ layers, mode: () => "all" }) });
  sources = createSourceManager({ registry, services });
  commands = createCommands();
});

const open = (...chosen: readonly (AnyPart | ChosenPart)[]): Promise<OpenParts> =>
  openParts(
    chosen.map((one) => ("part" in one ? one : { part: one })),
    {
      registry,
      commands,
      sources,
      services,
      layers,
      editable,
      host: {
        agent: "default",
        stateDirectory: "/nowhere",
        seen: createSeenVersions(),
        onTextChange: () => ({ [Symbol.dispose]: () => {} }),
        shorten: (tool) => tool,
        warn: (message) => void warnings.push(message),
      },
    },
  );

const tool = (name: string): AnyTool =>
  defineTool({ name, description: name, input: z.object({}), effects: () => [], run: async () => ({}) });

const part = (name: string, opened: OpenedPart = {}, more: Partial<AnyPart> = {}): AnyPart => ({
  ...definePart({ name, options: z.strictObject({ size: z.int().optional() }), open: async () => opened }),
  ...more,
});

const tools = (): string[] => registry.snapshot().cards.map(({ name }) => name);
const layer: PolicyLayer = { name: "closed", judge: () => ({ decision: "deny", reason: "closed" }) };
const anEffect = { action: "read", target: "ticks:///a" } as const;
const aCall = { tool: "tick_now", agent: "default", conversation: "one" };
const command = {
  name: "tick",
  usage: "",
  description: "ticks",
  examples: ["/tick"],
  plan: async () => ({ effects: [], run: async () => ({ text: "tick" }) }),
};
const everything = (): OpenedPart => ({
  tools: [tool("tick_now")],
  commands: [command],
  mounts: [{ mount: "ticks", source: memorySource, options: {}, isEditable: true }],
  layers: [layer],
  services: { clock: { now: () => "noon" } },
  guidance: ({ mounts }) => `There are ${mounts.length} mounts.`,
});
const nothingStands = (): void => {
  expect(tools()).toEqual([]);
  expect(commands.list()).toEqual([]);
  expect(sources.status()).toEqual([]);
  expect(layers).toEqual([]);
  expect([...editable]).toEqual([]);
  expect(services).toEqual({});
};

test("all that a part brings is there while it is open, and gone when it is closed", async () => {
  let closed = 0;
  const opened = await open(part("clock", { ...everything(), close: async () => void closed++ }));
  expect(opened).toMatchObject({ names: ["clock"], failures: [] });
  expect(tools()).toEqual(["tick_now"]);
  expect(commands.get("tick")).toBe(command);
  expect(sources.status().map(({ mount }) => mount)).toEqual(["ticks"]);
  expect([...editable]).toEqual(["ticks"]);
  expect(layers.map(({ name }) => name)).toEqual(["closed"]);
  expect(await layers[0]?.judge(anEffect, aCall)).toEqual({ decision: "deny", reason: "closed" });
  expect(services.clock?.now()).toBe("noon");
  expect(opened.guidance({ tools: tools(), mounts: sources.status() })).toEqual(["There are 1 mounts."]);
  await opened.close();
  expect(closed).toBe(1);
  nothingStands();
});

test("a part is opened after what it needs, wherever it stands in the list", async () => {
  const order: string[] = [];
  const seen = (name: string, opened: OpenedPart, needs: readonly "clock"[] = []): AnyPart =>
    part(name, opened, {
      needs,
      open: async () => {
        order.push(name);
        return opened;
      },
    });
  const opened = await open(seen("alarm", {}, ["clock"]), seen("clock", { services: { clock: { now: () => "" } } }));
  expect(order).toEqual(["clock", "alarm"]);
  expect(opened.failures).toEqual([]);
  await opened.close();
});

test("a part whose need nobody meets is named and left out, and the others work", async () => {
  const opened = await open(
    part("alarm", everything(), { needs: ["clock"] }),
    part("other", { tools: [tool("other")] }),
  );
  expect(opened.failures).toEqual([{ part: "alarm", error: "it needs clock, which no part offers here" }]);
  expect(tools()).toEqual(["other"]);
});

test.each<[string, OpenedPart]>([
  ["two tools of one name", { ...everything(), tools: [tool("a"), tool("a")] }],
  ["a command that is there", { ...everything(), commands: [command, command] }],
  [
    "a mount that cannot be opened",
    { ...everything(), mounts: [...(everything().mounts ?? []), { mount: "ticks", source: memorySource }] },
  ],
])("a part with %s is left out whole, closed, and named", async (_, opened) => {
  let closed = 0;
  const parts = await open(part("clock", { ...opened, close: async () => void closed++ }));
  expect(parts.failures.map((failure) => failure.part)).toEqual(["clock"]);
  expect(parts.names).toEqual([]);
  expect(closed).toBe(1);
  nothingStands();
});

test("a part that fails to open leaves nothing of what it registered on the way", async () => {
  const failing = part(
    "clock",
    {},
    {
      open: async (_, host) => {
        host.register([tool("early")]);
        throw new IkigaiError("unavailable", "no clock here", { hint: "Plug one in." });
      },
    },
  );
  expect((await open(failing)).failures).toMatchObject([{ part: "clock", error: "no clock here. Plug one in." }]);
  nothingStands();
});

test("options that do not fit are refused with the path of the key, and the part is not opened", async () => {
  const opened = await open({ part: part("clock", everything()), options: { size: "large" } });
  expect(opened.failures[0]?.error).toMatch(/^clock\.size: /);
  nothingStands();
});

test("a second part of one name, or with a service that is offered, is left out", async () => {
  const opened = await open(
    part("clock", { services: { clock: { now: () => "first" } } }),
    part("clock"),
    part("watch", { services: { clock: { now: () => "second" } } }),
  );
  expect(opened.failures.map((failure) => failure.part)).toEqual(["clock", "watch"]);
  expect(services.clock?.now()).toBe("first");
});

test("a part of another contract is refused by name", async () => {
  const opened = await open(part("clock", {}, { contract: 9 as never }));
  expect(opened.failures[0]?.error).toContain("speaks contract 9, this host 1");
});

test("parts close in the reverse order, and one that fails is told and stops no other", async () => {
  const order: string[] = [];
  const closing = (name: string, fault = false): AnyPart =>
    part(name, {
      close: async () => {
        order.push(name);
        if (fault) throw new Error("stuck");
      },
    });
  await (await open(closing("one"), closing("two", true), closing("three"))).close();
  expect(order).toEqual(["three", "two", "one"]);
  expect(warnings).toEqual(['part "two" did not close cleanly: stuck']);
});

test("work in the background runs until it is disposed of, and a fault ends that of its part only", async () => {
  const ended: string[] = [];
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  const opened = await open(
    part("steady", {
      follow: async (signal) => {
        await untilAborted(signal);
        ended.push("steady");
      },
    }),
    part("broken", {
      follow: async () => {
        throw new Error("no more");
      },
    }),
  );
  const following = opened.follow();
  await following[Symbol.asyncDispose]();
  expect(ended).toEqual(["steady"]);
  await opened.close();
});

test("tools that a part adds later are there until it closes", async () => {
  let add: (() => void) | undefined;
  const opened = await open(
    part(
      "late",
      {},
      {
        open: async (_, host) => {
          add = () => void host.register([tool("later")]);
          return {};
        },
      },
    ),
  );
  expect(tools()).toEqual([]);
  add?.();
  expect(tools()).toEqual(["later"]);
  await opened.close();
  expect(tools()).toEqual([]);
});

const options = z.strictObject({});

test("without a part that is required nothing stays open", async () => {
  const failing = definePart({ name: "late", options, open: async () => Promise.reject(new Error("no disk")) });
  const closed: string[] = [];
  const first = definePart({
    name: "first",
    options,
    open: async () => ({ tools: [tool("one")], close: async () => void closed.push("first") }),
  });
  await expect(open(first, { part: failing, isRequired: true })).rejects.toThrow("no disk");
  expect(closed).toEqual(["first"]);
  expect(registry.snapshot().cards).toEqual([]);
});

test("the status says of each part what it brings now, and of one that was left out why", async () => {
  let withdraw: Disposable | undefined;
  const growing = definePart({
    name: "growing",
    options,
    async open(_, host) {
      withdraw = host.register([tool("comes_and_goes")]);
      return { tools: [tool("stays")], mounts: [{ mount: "shelf", source: memorySource }] };
    },
  });
  const failing = definePart({ name: "late", options, open: async () => Promise.reject(new Error("no disk")) });
  const opened = await open({ part: growing, use: "./growing.js" }, failing);
  expect(opened.status()).toEqual([
    {
      part: "growing",
      use: "./growing.js",
      state: "open",
      tools: ["comes_and_goes", "stays"],
      commands: [],
      mounts: ["shelf"],
    },
    { part: "late", state: "failed", error: "no disk", tools: [], commands: [], mounts: [] },
  ]);
  withdraw?.[Symbol.dispose]();
  expect(opened.status()[0]?.tools).toEqual(["stays"]);
  await opened.close();
});

test("a part that is closed registers nothing any more", async () => {
  let register: ((tools: readonly AnyTool[]) => Disposable) | undefined;
  const part = definePart({
    name: "late",
    options,
    async open(_, host) {
      register = host.register;
      return {};
    },
  });
  await (await open(part)).close();
  expect(() => register?.([tool("one")])).toThrow('Part "late" is closed');
  expect(registry.snapshot().cards).toEqual([]);
});

test("a part whose guidance throws says nothing, and the operator is told", async () => {
  const broken = definePart({
    name: "broken",
    options,
    open: async () => ({
      guidance: () => {
        throw new Error("lost my words");
      },
    }),
  });
  const polite = definePart({ name: "polite", options, open: async () => ({ guidance: () => " Say please. " }) });
  const opened = await open(broken, polite);
  expect(opened.guidance({ tools: [], mounts: [] })).toEqual(["Say please."]);
  expect(warnings).toEqual(['part "broken" has no guidance: lost my words']);
  await opened.close();
});
