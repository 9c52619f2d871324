import { createServer } from "node:net";
import { type AnyTool, defineTool, IkigaiError } from "@ikigai/core";
import { type AnyPart, type Command, definePart, type OpenedPart, type PartHost } from "@ikigai/core/host";
import { createMemoryStore, memorySource } from "@ikigai/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type PartSuite, testPart } from "./test-part.ts";

/** Runs a suite without a runner, and gives what each case that does not hold says, by its id. */
async function failing(suite: Omit<PartSuite, "test">): Promise<Record<string, string>> {
  const cases: { id: string; body: (context: unknown) => Promise<void> }[] = [];
  testPart({ ...suite, test: (id, body) => void cases.push({ id, body }) });
  const failed: Record<string, string> = {};
  for (const { id, body } of cases) {
    const skip = (reason: string): void => void (failed[id] = `skipped: ${reason}`);
    await body({ skip }).catch((error: Error) => (failed[id] = error.message));
  }
  return failed;
}

const upper = ({ sources }: PartHost, isHonest = true): OpenedPart["tools"] => [
  defineTool({
    name: "shout",
    description: "Writes a text in capitals.",
    input: z.object({ path: z.string() }),
    effects: ({ path }) => (isHonest ? [{ action: "update", target: `file:///${path}` }] : []),
    async run({ path }) {
      const { source, address } = sources.route(path);
      const found = await source.read(address.path);
      if (found === undefined) throw new IkigaiError("not_found", `${path} is not there`);
      await source.write?.(address.path, found.text.toUpperCase(), { expected: found.version });
      return { path };
    },
  }),
];

const open = async (_: object, host: PartHost): Promise<OpenedPart> => ({
  tools: upper(host) ?? [],
  mounts: [{ mount: "shouts", source: memorySource }],
});
const options = z.strictObject({ limit: z.int().default(3) });
const sound = definePart({ name: "shout", options, open });

const suite = {
  texts: { "a.md": "quiet" },
  calls: [{ name: "shout", arguments: { path: "a.md" } }],
  badOptions: { options: { limit: "many" }, key: "limit" },
};

describe("a part that keeps its promises", () => {
  testPart({ test, part: sound, ...suite });
});

test.each<[string, Partial<AnyPart>, string]>([
  ["another contract", { contract: 2 as never }, "part/says-what-it-is"],
  ["a name that is no section", { name: "My Part" }, "part/says-what-it-is"],
  ["options that have no defaults", { options: z.object({ limit: z.int() }) }, "part/says-what-it-is"],
  ["a schema that takes everything", { options: z.any() }, "part/names-the-key-that-is-wrong"],
  [
    "a tool that changes a text undeclared",
    { open: async (_, host) => ({ tools: upper(host, false) ?? [] }) },
    "part/declares-its-effects 1 shout",
  ],
  [
    "a timer that nobody stops",
    {
      open: async (given, host) => {
        const timer = setInterval(() => {}, 60_000);
        setTimeout(() => clearInterval(timer), 5_000);
        return open(given, host);
      },
    },
    "part/leaves-no-timer-and-no-handle",
  ],
  [
    "a server that nobody closes",
    {
      open: async (given, host) => {
        const server = createServer().listen(0, "127.0.0.1");
        setTimeout(() => server.close(), 5_000);
        return open(given, host);
      },
    },
    "part/leaves-no-timer-and-no-handle",
  ],
  [
    "a close that fails",
    {
      open: async (given, host) => ({
        ...(await open(given, host)),
        close: async () => {
          throw new Error("stuck");
        },
      }),
    },
    "part/opens-and-closes-again",
  ],
  ["an open that fails", { open: async () => Promise.reject(new Error("no")) }, "part/opens-and-closes-again"],
])("a part with %s is found out", { timeout: 60_000 }, async (_, wrong, id) => {
  expect(Object.keys(await failing({ part: { ...sound, ...wrong }, ...suite }))).toContain(id);
});

const tool = (name: string, run: () => Promise<unknown> = async () => ({})): AnyTool =>
  defineTool({ name, description: "Does something.", input: z.object({}), effects: () => [], run });
const giving = (opened: unknown): Partial<AnyPart> => ({ open: async () => opened as OpenedPart });
const command: Command = {
  name: "shout",
  usage: "",
  description: "shouts",
  examples: ["/shout"],
  plan: async () => ({ effects: [], run: async () => ({ text: "" }) }),
};
const write = async ({ sources }: PartHost, place: string): Promise<void> => {
  const { source, address } = sources.route(place);
  await source.write?.(address.path, "changed");
};
const intervals = new Set<NodeJS.Timeout>();
afterEach(() => {
  for (const one of intervals) clearInterval(one);
  intervals.clear();
});
const call = (name: string): Partial<PartSuite> => ({ calls: [{ name, arguments: {} }] });

/** What is wrong, the part, the case that finds it, what that case says, and what the author gives. */
type WrongPart = [string, Partial<AnyPart>, string, string, Partial<PartSuite>?];

const WRONG: WrongPart[] = [
  [
    "a tool that no call is given of",
    giving({ tools: [tool("liar")] }),
    "part/every-tool-and-command-has-a-call",
    "skipped: no call is given of liar",
  ],
  [
    "a command that no line is given for",
    giving({ commands: [command] }),
    "part/every-tool-and-command-has-a-call",
    "skipped: no call is given of /shout",
  ],
  [
    "a tool that changes a text of the workspace undeclared",
    { open: async (_, host) => ({ tools: [tool("liar", () => write(host, "file:///a.md"))] }) },
    "part/declares-its-effects 1 liar",
    "liar changed a.md, which it did not declare",
    call("liar"),
  ],
  [
    "a tool that writes to a mount of its own undeclared",
    {
      open: async (_, host) => ({
        tools: [tool("liar", () => write(host, "lies:///b.md"))],
        mounts: [{ mount: "lies", source: memorySource }],
      }),
    },
    "part/declares-its-effects 1 liar",
    "liar created lies:///b.md, which it did not declare",
    call("liar"),
  ],
  [
    "a tool that writes to its own mount past the host",
    {
      open: async () => {
        const store = createMemoryStore();
        const own = { mount: "side", signal: new AbortController().signal, services: {}, warn: () => {} };
        const inner = await memorySource.open({ store }, own);
        return {
          tools: [tool("liar", async () => void (await inner.write("b.md", "changed")))],
          mounts: [{ mount: "lies", source: memorySource, options: { store } }],
        };
      },
    },
    "part/declares-its-effects 1 liar",
    "liar created lies:///b.md, which it did not declare",
    call("liar"),
  ],
  [
    "a command that changes a text undeclared",
    {
      open: async (_, host) => ({
        commands: [
          {
            ...command,
            plan: async () => ({
              effects: [],
              run: async () => {
                await write(host, "file:///a.md");
                return { text: "" };
              },
            }),
          },
        ],
      }),
    },
    "part/commands-declare-their-effects 1 /shout",
    "/shout changed a.md, which it did not declare",
    { commands: [{ line: "/shout" }] },
  ],
  ["our tool", giving({ tools: [tool("file_read")] }), "part/takes-no-name-of-ikigai", "the tool file_read"],
  [
    "our command",
    giving({ commands: [{ ...command, name: "undo" }] }),
    "part/takes-no-name-of-ikigai",
    "the command /undo",
  ],
  [
    "our mount",
    giving({ mounts: [{ mount: "ikigai", source: memorySource }] }),
    "part/takes-no-name-of-ikigai",
    "the mount ikigai",
  ],
  [
    "a layer without judge",
    giving({ layers: [{ name: "quiet" }] }),
    "part/opens-and-closes-again",
    'brings the layer "quiet", which has no judge',
  ],
  [
    "a layer that throws",
    giving({
      layers: [
        {
          name: "quiet",
          judge: () => {
            throw new Error("layerboom");
          },
        },
      ],
    }),
    "part/layers-judge",
    'layer "quiet" of part "shout" failed: layerboom',
  ],
  [
    "a layer that decides nothing that there is",
    giving({ layers: [{ name: "quiet", judge: () => ({ decision: "perhaps", reason: "x" }) }] }),
    "part/layers-judge",
    'decides "perhaps"',
  ],
  [
    "a guidance that throws",
    giving({
      guidance: () => {
        throw new Error("wordless");
      },
    }),
    "part/gives-words-to-the-prompt",
    "wordless",
  ],
  ["a guidance that is a number", giving({ guidance: () => 7 }), "part/gives-words-to-the-prompt", "has no guidance"],
  [
    "a follow that rejects",
    giving({ follow: async () => Promise.reject(new Error("lost")) }),
    "part/ends-its-work",
    "follow rejects: lost",
  ],
  [
    "a follow that rejects when it is stopped",
    giving({
      follow: (signal: AbortSignal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    }),
    "part/ends-its-work",
    "follow rejects when its signal aborts: stopped",
  ],
  [
    "a follow that ignores its signal",
    giving({ follow: () => new Promise(() => {}) }),
    "part/ends-its-work",
    "follow goes on",
  ],
  ["an unknown key", giving({ tolls: [] }), "part/opens-and-closes-again", 'gives "tolls", which no host knows'],
  [
    "a command without plan",
    giving({ commands: [{ ...command, plan: undefined }] }),
    "part/opens-and-closes-again",
    'the command "shout", which has no plan',
  ],
  [
    "a timer that a call of its tool leaves",
    giving({ tools: [tool("tick", async () => void intervals.add(setInterval(() => {}, 60_000)))] }),
    "part/leaves-no-timer-and-no-handle",
    "an interval",
    call("tick"),
  ],
  [
    "an interval that does not keep the process alive",
    {
      open: async () => {
        intervals.add(setInterval(() => {}, 60_000).unref());
        return {};
      },
    },
    "part/leaves-no-timer-and-no-handle",
    "an unreferenced interval",
  ],
  ["options that take anything", { options: z.any() }, "part/names-the-key-that-is-wrong", "no-such-option"],
];

test.each<WrongPart>(WRONG)(
  "%s is found out, and said",
  { timeout: 60_000 },
  async (_, wrong, id, says, given = {}) => {
    const found = await failing({ part: { ...sound, ...giving({}), ...wrong }, texts: suite.texts, ...given });
    expect(found[id]).toContain(says);
  },
);

test("an interval that is cleared at close is no fault", async () => {
  const clean = async (): Promise<OpenedPart> => {
    const timer = setInterval(() => {}, 60_000).unref();
    return { close: async () => clearInterval(timer) };
  };
  expect(await failing({ part: { ...sound, open: clean } })).toEqual({});
});

test("what a tool asks for while it runs counts as declared", async () => {
  const open = async (_: object, host: PartHost): Promise<OpenedPart> => ({
    tools: [
      defineTool({
        name: "asks",
        description: "Asks before it writes.",
        input: z.object({}),
        effects: () => [],
        async run(_given, { permit }) {
          await permit([{ action: "update", target: "file:///a.md" }]);
          await write(host, "file:///a.md");
          return {};
        },
      }),
    ],
  });
  expect(await failing({ part: { ...sound, open }, texts: suite.texts, ...call("asks") })).toEqual({});
});
