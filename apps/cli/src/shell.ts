import type { SourceManager, ToolRegistry } from "@ikigai/core";
import {
  createBashJobsTool,
  createBashTool,
  createGlobTool,
  createGrepTool,
  createJobs,
  jobEvents,
} from "@ikigai/shell";

/** The mount of the stream of background jobs. */
export const JOBS = "jobs";

/** The tools that run commands and search, and the jobs they start. */
export interface Shell {
  /** Makes what the jobs print, and how they end, events of a stream. */
  mount(): Promise<void>;
  /** Contract: ends what still runs. */
  close(): Promise<void>;
}

export function openShell(root: string, registry: ToolRegistry, sources: SourceManager, outputDir: string): Shell {
  const jobs = createJobs({ root, outputDir });
  registry.register([
    createBashTool({ jobs, sources }),
    createBashJobsTool(jobs),
    createGrepTool({ sources }),
    createGlobTool({ sources }),
  ]);
  return {
    mount: () => sources.mount({ mount: JOBS, source: jobEvents(jobs), options: {} }),
    close: () => jobs.close(),
  };
}
