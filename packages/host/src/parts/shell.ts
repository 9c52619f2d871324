import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { OpenedPart, SourceManager } from "@ikigai/core/host";
import type { BlockService, ShortPlaces } from "@ikigai/memory";
import type { Redactor } from "@ikigai/permission";
import {
  createBashJobsTool,
  createBashTool,
  createGlobTool,
  createGrepTool,
  createJobs,
  jobEvents,
} from "@ikigai/shell";
import { saveTraces } from "@ikigai/source-file";
import { keepJobBlocks } from "./job-blocks.ts";
import { JOBS } from "../policy/own-mounts.ts";
import { redactFiles } from "./outputs/redact-files.ts";

export interface ShellOptions {
  readonly root: string;
  readonly sources: SourceManager;
  /** Lets a tool take short addresses. */
  readonly shorten: ShortPlaces["shorten"];
  readonly blocks: BlockService;
  /** Our own files, which are not searched. */
  readonly own: {
    readonly isOwn: (local: string, mount: string) => boolean;
    readonly folders: () => readonly string[];
  };
  /** Where long outputs of an agent's commands are kept. */
  readonly outputFolder: (agent: string) => string;
  readonly redactor: Pick<Redactor, "redact">;
  readonly warn: (message: string) => void;
}

/** Bytes that are kept of what one command prints. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024;

/** The tools that run commands and search, and the stream of the jobs that they start. Contract: closing ends what still runs. */
export function openShell(options: ShellOptions): OpenedPart {
  const { root, sources, shorten, blocks, own, outputFolder, redactor, warn } = options;
  // A folder of this process, so that nobody else's running command is disturbed when secrets are taken out.
  const run = `run-${randomUUID()}`;
  const folders = new Set<string>();
  const outputDir = (agent: string): string => {
    const folder = join(outputFolder(agent), run);
    folders.add(folder);
    return folder;
  };
  const jobs = createJobs({ root, outputDir, maxKeptBytes: MAX_KEPT_BYTES });
  const kept = keepJobBlocks({ jobs, blocks, prefix: randomUUID().slice(0, 8), warn });
  const searching = { sources, isOwn: own.isOwn, ownFolders: own.folders, saves: saveTraces };
  const tools = [
    createBashTool({ jobs, sources, logOf: kept.labelOf }),
    createBashJobsTool(jobs),
    shorten(createGrepTool(searching)),
    shorten(createGlobTool(searching)),
  ];
  return {
    tools,
    mounts: [{ mount: JOBS, source: jobEvents(jobs), options: {} }],
    async close() {
      await jobs.close();
      await kept.settled;
      for (const folder of folders) await redactFiles(folder, redactor);
    },
  };
}
