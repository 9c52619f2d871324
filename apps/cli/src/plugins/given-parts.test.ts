import { defineTool } from "@ikigai/core";
import { type AnyPart, definePart } from "@ikigai/core/host";
import { openHost } from "@ikigai/host";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { greetingPart } from "../testing/greeting-part.ts";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";

afterAll(closeSharedStore);

const options = z.strictObject({});
const giving = (name: string, given: unknown): AnyPart =>
  definePart({ name, options, open: async () => given as object });
const beep = defineTool({
  name: "beep",
  description: "b",
  input: z.object({}),
  effects: () => [],
  run: async () => ({}),
});

test("values that are no parts, and parts that no host can use, are left out and told with their name", async () => {
  const { root, store, close } = await openWorkspace();
  const warnings: string[] = [];
  const given: unknown[] = [
    { name: "plain", open: async () => ({}) },
    { ...greetingPart, name: "My Part" },
    giving("empty", undefined),
    giving("tolled", { tolls: [] }),
    giving("raw", { tools: [{ name: "raw_tool" }] }),
    giving("double", { tools: [beep, beep] }),
    giving("judgeless", { layers: [{ name: "quiet" }] }),
    greetingPart,
  ];
  const host = await openHost({
    root,
    store,
    parts: given as AnyPart[],
    warn: (message) => void warnings.push(message),
  });
  expect(warnings.map((line) => line.split(". ")[0])).toEqual([
    expect.stringContaining('part "plain" was left out: Part "plain" was not made with definePart'),
    expect.stringContaining('part "My Part" was left out: "My Part" is not the name of a part'),
    expect.stringContaining('part "empty" was left out: Part "empty" gives nothing when it is opened'),
    expect.stringContaining('part "tolled" was left out: Part "tolled" gives "tolls", which no host knows'),
    expect.stringContaining('Part "raw" brings the tool "raw_tool", which has no description'),
    expect.stringContaining('Part "double" brings the tool "beep" twice'),
    expect.stringContaining('Part "judgeless" brings the layer "quiet", which has no judge'),
  ]);
  expect(await host.call({ name: "greet", arguments: { name: "Ann" } })).toMatchObject({ success: true });
  await host.close();
  await close();
});

test("a part that never opens is left out when its time is over, and closed when it comes after all", async () => {
  const { root, store, close } = await openWorkspace();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let isClosed = (): void => {};
  const closed = new Promise<void>((resolve) => (isClosed = resolve));
  const late = definePart({
    name: "late",
    options,
    async open() {
      await released;
      return { tools: [beep], close: async () => isClosed() };
    },
  });
  const host = await openHost({ root, store, parts: [late], openWithinMs: 50 });
  expect(host.parts().find(({ part }) => part === "late")).toMatchObject({
    state: "failed",
    error: expect.stringContaining('Part "late" did not open within 50 ms'),
  });
  release();
  await closed;
  expect(host.toolNames()).not.toContain("beep");
  await host.close();
  await close();
});
