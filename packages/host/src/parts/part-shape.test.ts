import { defineTool, IkigaiError } from "@ikigai/core";
import { createPolicy, decidingReason, definePart, type PolicyLayer } from "@ikigai/core/host";
import { memorySource } from "@ikigai/core/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { assertOpenedShape, assertPartShape, namedLayer } from "./part-shape.ts";

const sound = definePart({ name: "sound", options: z.strictObject({}), open: async () => ({}) });
const tool = defineTool({
  name: "beep",
  description: "b",
  input: z.object({}),
  effects: () => [],
  run: async () => ({}),
});
const command = { name: "beep", usage: "", description: "b", examples: [], plan: async () => ({}) };
const mount = { mount: "beeps", source: memorySource };

test("a part that brings one of everything is taken", () => {
  assertPartShape(sound);
  assertOpenedShape("sound", {});
  assertOpenedShape("sound", {
    tools: [tool],
    commands: [command],
    mounts: [mount],
    layers: [{ name: "a", judge: () => undefined }],
    services: {},
    guidance: () => undefined,
    follow: async () => {},
    close: async () => {},
  });
});

test.each<[unknown, string]>([
  [undefined, 'Part "without a name" was not made with definePart'],
  ["words", 'Part "without a name" was not made with definePart'],
  [{ name: "plain", open: async () => ({}) }, 'Part "plain" was not made with definePart'],
  [{ ...sound, kind: "block" }, 'Part "sound" was not made with definePart'],
  [{ ...sound, contract: 2 }, 'Part "sound" speaks contract 2, this host 1'],
  [{ ...sound, name: "My Part" }, '"My Part" is not the name of a part'],
  [{ ...sound, name: undefined }, "is not the name of a part"],
  [{ ...sound, options: undefined }, 'Part "sound" has no schema of its options'],
  [{ ...sound, options: {} }, 'Part "sound" has no schema of its options'],
  [{ ...sound, open: undefined }, 'Part "sound" has no open'],
  [{ ...sound, needs: "blocks" }, 'Part "sound" has needs that are no list of names'],
])("the value %o is refused as a part", (value, message) => {
  const refused = errorOf(() => assertPartShape(value));
  expect(refused?.message).toContain(message);
  expect(refused?.hint).toMatch(/\.$/);
});

test.each<[unknown, string]>([
  [undefined, "gives nothing when it is opened"],
  [null, "gives null when it is opened"],
  ["tools", "gives a string when it is opened"],
  [{ tolls: [tool] }, 'gives "tolls", which no host knows'],
  [{ tools: tool }, "gives tools that are no list"],
  [{ tools: [undefined] }, "brings a tool without a name, at place 1 of its tools"],
  [{ tools: [tool, { description: "x" }] }, "brings a tool without a name, at place 2 of its tools"],
  [{ tools: [{ name: "beep" }] }, 'brings the tool "beep", which has no description'],
  [{ tools: [{ name: "beep", description: "b" }] }, 'the tool "beep", which has no schema as its input'],
  [{ tools: [{ ...tool, effects: undefined }] }, 'the tool "beep", which has no effects'],
  [{ tools: [{ ...tool, run: undefined }] }, 'the tool "beep", which has no run'],
  [{ tools: [tool, tool] }, 'brings the tool "beep" twice'],
  [{ commands: [{ ...command, plan: undefined }] }, 'the command "beep", which has no plan'],
  [{ commands: [{ ...command, usage: undefined }] }, 'the command "beep", which has no usage'],
  [{ commands: [{ ...command, examples: "/beep" }] }, 'the command "beep", which has no list of examples'],
  [{ commands: [command, command] }, 'brings the command "beep" twice'],
  [{ mounts: [{ source: memorySource }] }, "brings a mount without a name"],
  [{ mounts: [{ mount: "beeps" }] }, 'the mount "beeps", which has no source'],
  [{ mounts: [{ mount: "beeps", source: {} }] }, 'the mount "beeps", which has a source that cannot be opened'],
  [{ mounts: [mount, mount] }, 'brings the mount "beeps" twice'],
  [{ layers: [{ name: "quiet" }] }, 'the layer "quiet", which has no judge'],
  [{ layers: [{ judge: () => undefined }] }, "brings a layer without a name"],
  [{ guidance: "Beep." }, "gives a guidance that is no function"],
  [{ follow: true }, "gives a follow that is no function"],
  [{ close: 1 }, "gives a close that is no function"],
  [{ services: [] }, "gives services that are no object"],
])("what a part gives is refused with its name: %o", (opened, message) => {
  const refused = errorOf(() => assertOpenedShape("sound", opened));
  expect(refused?.message).toContain(`Part "sound" ${message.startsWith("the ") ? "brings " : ""}${message}`);
  expect(refused?.code).toBe("invalid_input");
});

test("a layer that throws denies, names itself and its part, and is told of once", async () => {
  const warnings: string[] = [];
  const boom = (): never => {
    throw new Error("boom");
  };
  const wrong: PolicyLayer = { name: "quiet", judge: boom, judgeCall: boom };
  const policy = createPolicy({
    layers: [namedLayer("sound", wrong, (message) => void warnings.push(message))],
    mode: () => "all",
  });
  const facts = { tool: "beep", agent: "default", conversation: "one" };
  for (let round = 0; round < 2; round++) {
    const verdict = await policy.judge({ action: "read", target: "file:///a.md" }, facts);
    expect(verdict.decision).toBe("deny");
    expect(decidingReason(verdict)).toBe('it could not be decided: layer "quiet" of part "sound" failed: boom');
    expect(await policy.judgeCall?.(facts)).toMatchObject({ decision: "deny" });
  }
  expect(warnings).toEqual(['layer "quiet" of part "sound" failed: boom; what it cannot judge is denied']);
});

function errorOf(run: () => void): IkigaiError | undefined {
  try {
    run();
  } catch (error) {
    if (IkigaiError.is(error)) return error;
    throw error;
  }
  return undefined;
}
