import type { HostServices } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry, type SourceManager } from "@ikigai/core/host";
import {
  type BlockService,
  createBlocks,
  createBlockTools,
  createFileTools,
  createMemoryBlockStore,
} from "@ikigai/memory";
import { createGlobTool, createGrepTool } from "@ikigai/shell";
import { fileSource } from "@ikigai/source-file";

/** Our tools over one folder, in this process, with everything allowed and nothing audited. */
export interface OurTools {
  readonly sources: SourceManager;
  readonly blocks: BlockService;
  /** Contract: gives the data; throws when the envelope is a failure. */
  call(name: string, args: object): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

const WHO = { agent: "bench", conversation: "bench" };
const MAX_OUTPUT = 8_000_000;

export async function openOurTools(root: string): Promise<OurTools> {
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }), maxOutputSize: MAX_OUTPUT });
  const services: { -readonly [Key in keyof HostServices]: HostServices[Key] } = {};
  const sources = createSourceManager({ registry, services });
  const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
  services.blocks = blocks;
  registry.register([
    ...createFileTools({ sources }),
    ...createBlockTools({ blocks, sources }),
    createGrepTool({ sources, timeoutMs: 300_000 }),
    createGlobTool({ sources, timeoutMs: 300_000 }),
  ]);
  await sources.mount({ mount: "file", source: fileSource, options: { root } });
  return {
    sources,
    blocks,
    async call(name, args) {
      const envelope = await registry.call({ name, arguments: args }, WHO);
      if (!envelope.success) throw new Error(`${name}: ${envelope.code}: ${envelope.error}`);
      return envelope.data as Readonly<Record<string, unknown>>;
    },
    close: () => sources.close(),
  };
}
