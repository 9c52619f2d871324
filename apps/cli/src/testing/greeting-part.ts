import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTool } from "@ikigai/core";
import { definePart, type Part } from "@ikigai/core/host";
import { memorySource } from "@ikigai/core/testing";
import { z } from "zod";

/** A part as somebody else would write it, with one thing of each kind. */
export const greetingPart: Part<{ word: string }> = definePart({
  name: "greeting",
  options: z.strictObject({ word: z.string().min(1).default("Hello") }),
  async open({ word }, { stateDirectory }) {
    const folder = join(stateDirectory, "greeting");
    const greet = (name: string): string => `${word}, ${name}!`;
    return {
      tools: [
        defineTool({
          name: "greet",
          description: "Greets somebody.",
          input: z.object({ name: z.string() }),
          effects: () => [],
          run: async ({ name }) => ({ text: greet(name) }),
        }),
      ],
      commands: [
        {
          name: "greet",
          usage: "NAME",
          description: "greet somebody",
          examples: ["/greet Ann"],
          plan: async ([name = ""]) => ({ effects: [], run: async () => ({ text: greet(name) }) }),
        },
      ],
      mounts: [{ mount: "greetings", source: memorySource }],
      layers: [
        {
          name: "greeting",
          judge: ({ target }) =>
            target.endsWith("/silent.txt") ? { decision: "deny", reason: "silence is kept" } : undefined,
        },
      ],
      guidance: ({ tools }) => (tools.includes("greet") ? "Greet the user with the tool greet." : undefined),
      async follow(signal) {
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, "followed"), "yes");
        // The signal may have aborted while the file was written.
        if (!signal.aborted)
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        await writeFile(join(folder, "followed"), "ended");
      },
    };
  },
});
