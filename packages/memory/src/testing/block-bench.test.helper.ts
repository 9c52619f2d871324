import type { Actor, BlockInfo, Envelope } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import type { BlockSchema } from "../blocks/block-schema.ts";
import type { BlockStore } from "../blocks/block-store.ts";
import { createBlockTools } from "../tools/block-tools.ts";
import { type BlockService, createBlocks, type CreateBlocksOptions } from "../blocks/blocks.ts";
import { createMemoryBlockStore } from "../blocks/memory-block-store.ts";
import { createBench, type TextSource } from "./text-source.test.helper.ts";

export const actor = (agent = "ada"): Actor => ({ agent, conversation: "one", callId: "1", tool: "t" });

export const NOW: Date = new Date("2026-01-31T12:00:00.000Z");

export interface BlockBench {
  readonly sources: SourceManager;
  readonly file: TextSource;
  readonly store: BlockStore;
  readonly blocks: BlockService;
  readonly call: (name: string, args: unknown, agent?: string) => Promise<Envelope>;
  /** Another process on the same store. */
  readonly other: () => BlockService;
}

export async function createBlockBench(
  initial: Record<string, string> = {},
  options: Partial<CreateBlocksOptions> = {},
): Promise<BlockBench> {
  const { sources, file, registry, call } = await createBench(initial);
  const store = options.store ?? createMemoryBlockStore();
  const other = (): BlockService => createBlocks({ sources, clock: () => NOW, ...options, store });
  const blocks = other();
  registry.register(createBlockTools({ blocks, sources }));
  return {
    sources,
    file,
    store,
    blocks,
    other,
    call: (name, args, agent = "ada") => call(name, args, "one", agent),
  };
}

export const SCHEMAS: Readonly<Record<BlockSchema["kind"], BlockSchema>> = {
  text: { kind: "text", default: "one\ntwo\n" },
  list: { kind: "list", max_items: 3, default: ["one", "two"] },
  map: {
    kind: "map",
    fields: [
      { name: "name", type: "text", default: "nobody" },
      { name: "age", type: "number" },
      { name: "kind", type: "boolean" },
      { name: "tags", type: "list", max_items: 2 },
      { name: "seen", type: "timestamp" },
      { name: "id", type: "text", read_only: true, default: "id-1" },
    ],
  },
  log: { kind: "log", max_items: 2 },
  composite: {
    kind: "composite",
    sections: [
      { name: "about", schema: { kind: "text", default: "me" } },
      { name: "rules", schema: { kind: "text", default: "be kind" }, read_only: true },
      { name: "todo", schema: { kind: "list", max_items: 2 } },
      { name: "facts", schema: { kind: "map", fields: [{ name: "city", type: "text" }] } },
      { name: "diary", schema: { kind: "log", max_items: 2 } },
    ],
  },
};

/** A block of each schema, labelled by it. */
export async function defineAll(blocks: BlockService, agent = "ada"): Promise<readonly BlockInfo[]> {
  const made: BlockInfo[] = [];
  for (const [label, schema] of Object.entries(SCHEMAS)) {
    made.push(await blocks.define({ label, type: "core", schema }, actor(agent)));
  }
  return made;
}
