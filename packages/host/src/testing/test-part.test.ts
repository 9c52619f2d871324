import { createServer } from "node:net";
import { defineTool, IkigaiError } from "@ikigai/core";
import { type AnyPart, definePart, type OpenedPart, type PartHost } from "@ikigai/core/host";
import { memorySource } from "@ikigai/core/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type PartSuite, testPart } from "./test-part.ts";

/** Runs a suite without a runner, and gives the ids of the cases that fail. */
async function failing(suite: Omit<PartSuite, "test">): Promise<string[]> {
  const cases: { id: string; body: () => Promise<void> }[] = [];
  testPart({ ...suite, test: (id, body) => void cases.push({ id, body: () => body() }) });
  const failed: string[] = [];
  for (const { id, body } of cases) await body().catch(() => failed.push(id));
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
  expect(await failing({ part: { ...sound, ...wrong }, ...suite })).toContain(id);
});
