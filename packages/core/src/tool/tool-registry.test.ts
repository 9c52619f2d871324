import { expect, test, vi } from "vitest";
import { z } from "zod";
import { IkigaiError } from "../errors.ts";
import { type AnyTool, defineTool } from "./tool.ts";
import { createToolRegistry, type ToolChange } from "./tool-registry.ts";

function named(name: string, change: Partial<AnyTool> = {}): AnyTool {
  return {
    ...defineTool({ name, description: name, input: z.object({}), effects: () => [], run: async () => name }),
    ...change,
  };
}

function names(registry: ReturnType<typeof createToolRegistry>): string[] {
  return registry.snapshot().cards.map(({ name }) => name);
}

test("tools are added together, and withdrawn together by whoever added them", () => {
  const registry = createToolRegistry();
  const first = registry.register([named("a"), named("b")]);
  registry.register([named("c")]);
  expect(names(registry)).toEqual(["a", "b", "c"]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(names(registry)).toEqual(["c"]);
  expect(registry.get("a")).toBeUndefined();
  expect(registry.get("c")?.name).toBe("c");
});

test.each([
  ["a name that is taken", [named("fresh"), named("taken")], "conflict"],
  ["a name twice", [named("fresh"), named("fresh")], "conflict"],
  ["a tool that is refused", [named("fresh"), named("Bad Name")], "invalid_input"],
  [
    "a union at the root",
    [named("fresh"), named("x", { input: z.union([z.object({}), z.object({ a: z.string() })]) })],
    "invalid_input",
  ],
  ["too many", Array.from({ length: 1_025 }, (_, at) => named(`t${at}`)), "invalid_input"],
])("%s: none is added, nobody is told", (_, tools, code) => {
  const registry = createToolRegistry();
  registry.register([named("taken")]);
  const listener = vi.fn();
  registry.onChange(listener);
  expect(() => registry.register(tools)).toThrow(expect.objectContaining({ code }));
  expect(names(registry)).toEqual(["taken"]);
  expect(listener).not.toHaveBeenCalled();
});

test("a name is free again after its withdrawal, and the old withdrawal does not touch the new tool", async () => {
  const registry = createToolRegistry();
  const old = registry.register([named("a")]);
  const offered = registry.snapshot();
  old[Symbol.dispose]();
  registry.register([named("a", { run: async () => "new" })]);
  old[Symbol.dispose]();
  expect(await registry.call({ name: "a", arguments: {} })).toEqual({ success: true, data: "new" });
  expect(await offered.call({ name: "a", arguments: {} })).toMatchObject({ success: false, code: "unavailable" });
});

test("a snapshot shows and calls what it was, not what came later", async () => {
  const registry = createToolRegistry();
  registry.register([named("a")]);
  const before = registry.snapshot();
  registry.register([named("b")]);
  expect(before.cards).toHaveLength(1);
  expect(await before.call({ name: "b", arguments: {} })).toMatchObject({ code: "not_found" });
  expect(await before.call({ name: "a", arguments: {} })).toEqual({ success: true, data: "a" });
});

test("a tool that is neither shown nor allowed is not run, and not named", async () => {
  const registry = createToolRegistry();
  registry.register([named("a"), named("b"), named("c")]);
  const catalog = registry.snapshot({ allowed: { b: [] }, select: (name) => name !== "c" });
  expect(catalog.cards.map(({ name }) => name)).toEqual(["a"]);
  for (const name of ["b", "c"]) {
    const envelope = await catalog.call({ name, arguments: {} });
    expect(envelope).toMatchObject({ code: "not_found", error: `No tool named "${name}". Use one of: a.` });
  }
});

test("a name that the host knows the absence of answers why, and a tool that is only hidden does not", async () => {
  const whyAbsent = (name: string): IkigaiError | undefined =>
    name === "x" ? undefined : new IkigaiError("unavailable", `${name} is not installed`);
  const registry = createToolRegistry({ whyAbsent });
  registry.register([named("a"), named("b")]);
  const catalog = registry.snapshot({ select: (name) => name !== "b" });
  expect(await registry.call({ name: "c", arguments: {} })).toMatchObject({
    code: "unavailable",
    error: "c is not installed",
  });
  expect(await catalog.call({ name: "c", arguments: {} })).toMatchObject({ code: "unavailable" });
  expect(await catalog.call({ name: "b", arguments: {} })).toMatchObject({ code: "not_found" });
  expect(await registry.call({ name: "x", arguments: {} })).toMatchObject({ code: "not_found" });
});

test("an unknown name among many tools gets a short list", async () => {
  const registry = createToolRegistry();
  registry.register(Array.from({ length: 50 }, (_, at) => named(`t${at}`)));
  const envelope = await registry.call({ name: "x", arguments: {} });
  expect(envelope).toMatchObject({ error: expect.stringMatching(/t39, and 10 more\.$/) as string });
});

test("names of object properties are no tools", async () => {
  const registry = createToolRegistry();
  registry.register([named("a")]);
  const catalog = registry.snapshot({ allowed: {} });
  for (const name of ["constructor", "__proto__"]) {
    expect(await catalog.call({ name, arguments: {} })).toMatchObject({ code: "not_found" });
  }
});

test("listeners hear each change once, also after another listener threw, and not after they left", () => {
  const defects: unknown[] = [];
  const registry = createToolRegistry({ onDefect: (error) => void defects.push(error) });
  const changes: ToolChange[] = [];
  const listener = (change: ToolChange) => void changes.push(change);
  registry.onChange(() => {
    throw new Error("listener");
  });
  const once = registry.onChange(listener);
  const twice = registry.onChange(listener);
  registry.register([]);
  const registration = registry.register([named("a")]);
  twice[Symbol.dispose]();
  registration[Symbol.dispose]();
  once[Symbol.dispose]();
  registry.register([named("b")]);
  const added = { added: ["a"], removed: [] };
  expect(changes).toEqual([added, added, { added: [], removed: ["a"] }]);
  expect(defects).toHaveLength(3);
});

test("a listener that throws and nobody who is told of defects stop nothing", () => {
  const registry = createToolRegistry();
  registry.onChange(() => {
    throw new Error("listener");
  });
  expect(() => registry.register([named("a")])).not.toThrow();
});
