import type { SourceManager, ToolRegistry } from "@ikigai/core";
import { createBashJobsTool, createBashTool, createGlobTool, createGrepTool, createJobs } from "@ikigai/shell";

/** The tools that run commands and search, and the jobs they start. */
export interface Shell {
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
  return { close: () => jobs.close() };
}
