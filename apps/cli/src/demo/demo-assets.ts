import {
  type AnySourceDefinition,
  type AnyTool,
  type BlockContent,
  defineDataBlock,
  defineTool,
  IkigaiError,
} from "@ikigai/core";
import { z } from "zod";

/** A few assets under one budget, in memory: what the demo plays on where no store is. */
export interface DemoAssets {
  readonly source: AnySourceDefinition;
  /** `/pin` and `/unpin` as a tool. */
  readonly tool: AnyTool;
  readonly pinned: ReadonlySet<string>;
  used(): number;
}

/** Contract: a write and a pin are refused when pinned texts and the written one would have more than `limit` tokens. */
export function createDemoAssets(
  initial: Readonly<Record<string, string>>,
  limit: number,
  count: (text: string) => number,
): DemoAssets {
  const texts = new Map<string, { text: string; version: number }>(
    Object.entries(initial).map(([path, text]) => [path, { text, version: 1 }]),
  );
  const pinned = new Set(Object.keys(initial));
  const used = (except = ""): number =>
    [...pinned].reduce((sum, path) => sum + (path === except ? 0 : count(texts.get(path)?.text ?? "")), 0);

  function assertFits(path: string, text: string): void {
    const cost = count(text);
    if (used(path) + cost <= limit) return;
    const message = `Block budget exceeded: ${used()}/${limit} tokens. This write would use ${cost} tokens.`;
    throw new IkigaiError("over_budget", `${message} Use /compact or /unpin to free space`, {
      hint: `Pinned are: ${[...pinned].map((one) => `${one} (${count(texts.get(one)?.text ?? "")})`).join(", ")}.`,
    });
  }
  const read = (path: string): BlockContent | undefined => {
    const found = texts.get(path);
    return found && { text: found.text, version: String(found.version) };
  };

  return {
    pinned,
    used: () => used(),
    source: defineDataBlock({
      name: "demo-assets",
      capabilities: ["write"],
      options: z.object({}),
      open: async () => ({
        read: async (path) => read(path),
        async *list(prefix) {
          for (const path of texts.keys()) if (path.startsWith(prefix)) yield { path };
        },
        async write(path, text, { expected } = {}) {
          const present = read(path);
          if (expected !== undefined && (present?.version ?? null) !== expected)
            throw new IkigaiError("conflict", `${path} changed meanwhile`, { hint: "Read it again." });
          assertFits(path, text);
          const version = (texts.get(path)?.version ?? 0) + 1;
          texts.set(path, { text, version });
          return { text, version: String(version) };
        },
      }),
    }),
    tool: defineTool({
      name: "slash_command",
      description: "Runs /pin PATH or /unpin PATH on an asset.",
      input: z.strictObject({ command: z.string() }),
      effects: ({ command }) => [{ action: "update", target: `ikigai:///${command.split(" ")[1] ?? ""}` }],
      async run({ command }) {
        const [name, path = ""] = command.split(" ");
        const found = texts.get(path);
        if (found === undefined) throw new IkigaiError("not_found", `No asset ${path}`);
        if (name === "/unpin") pinned.delete(path);
        else {
          assertFits(path, found.text);
          pinned.add(path);
        }
        return { pinned: [...pinned], used: used(), limit };
      },
    }),
  };
}
