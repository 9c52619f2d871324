import { randomUUID } from "node:crypto";
import type { SourceManager, ToolRegistry } from "@ikigai/core";
import type { BlockService, ShortPlaces } from "@ikigai/memory";
import {
  createBashJobsTool,
  createBashTool,
  createGlobTool,
  createGrepTool,
  createJobs,
  jobEvents,
} from "@ikigai/shell";
import { keepJobBlocks } from "./job-blocks.ts";
import { JOBS } from "./own-mounts.ts";

/** The mount of the stream of background jobs. */

/** The tools that run commands and search, and the jobs they start. */
export interface Shell {
  /** Makes what the jobs print, and how they end, events of a stream. */
  mount(): Promise<void>;
  /** Contract: ends what still runs. */
  close(): Promise<void>;
}

export interface ShellOptions {
  readonly root: string;
  readonly registry: ToolRegistry;
  readonly sources: SourceManager;
  /** Lets a tool take short addresses. */
  readonly shorten: ShortPlaces["shorten"];
  readonly blocks: BlockService;
  /** Where long outputs are kept. */
  readonly outputDir: string;
  readonly warn: (message: string) => void;
}

export function openShell({ root, registry, sources, shorten, blocks, outputDir, warn }: ShellOptions): Shell {
  const jobs = createJobs({ root, outputDir });
  const kept = keepJobBlocks({ jobs, blocks, prefix: randomUUID().slice(0, 8), warn });
  registry.register([
    createBashTool({ jobs, sources, logOf: kept.labelOf }),
    createBashJobsTool(jobs),
    shorten(createGrepTool({ sources })),
    shorten(createGlobTool({ sources })),
  ]);
  return {
    mount: () => sources.mount({ mount: JOBS, source: jobEvents(jobs), options: {} }),
    async close() {
      await jobs.close();
      await kept.settled;
    },
  };
}
