import { type AnyTool, defineTool } from "@ikigai/core";
import { createToolRegistry } from "@ikigai/core/host";
import { z } from "zod";
import { compare, type Line } from "./line.ts";

const CALLS = 1_000;

/** What a registry call costs over calling the function, and what a snapshot costs as tools grow. */
export async function benchRegistry(quick: boolean): Promise<Line[]> {
  const rounds = quick ? 20 : 200;
  const tool = echo("echo_0");
  const registry = createToolRegistry();
  registry.register([tool]);
  const input = { text: "hello" };
  const context = { callId: "1", agent: "a", conversation: "c", tool: "echo_0", signal: new AbortController().signal };
  const direct = { ...context, permit: async () => {}, progress: () => {} };
  const lines = await compare(
    "registry",
    `${CALLS.toLocaleString("en")} calls`,
    [
      { name: "function", role: "floor", guarantee: "none", run: () => repeat(() => tool.run(input, direct)) },
      {
        name: "registry",
        run: () => repeat(() => registry.call({ name: "echo_0", arguments: input })),
        guarantee: "checked",
      },
    ],
    { rounds },
  );
  for (const size of [10, 100, 300, 1_000]) {
    const sized = createToolRegistry();
    sized.register(Array.from({ length: size }, (_, index) => echo(`echo_${index}`)));
    const allowed = { echo_1: ["x"] };
    lines.push(
      ...(await compare(
        "registry",
        `snapshot of ${size.toLocaleString("en")} tools`,
        [
          { name: "snapshot", guarantee: "stays as it is", run: () => sized.snapshot() },
          {
            name: "snapshot with operation rules",
            guarantee: "stays as it is, without what the agent may not use",
            run: () => sized.snapshot({ allowed }),
          },
        ],
        { rounds, growth: { curve: "snapshot of tools", size } },
      )),
    );
  }
  return lines;
}

async function repeat(call: () => Promise<unknown>): Promise<void> {
  for (let index = 0; index < CALLS; index++) await call();
}

function echo(name: string): AnyTool {
  return defineTool({
    name,
    description: "Gives the text back.",
    input: z.strictObject({ text: z.string(), times: z.int().optional() }),
    effects: ({ text }) => [{ action: "read", target: `file:///${text}` }],
    run: async ({ text }) => ({ text }),
  });
}
