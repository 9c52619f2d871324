import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { definePart, type Part } from "@ikigai/core/host";
import { createRedactor } from "@ikigai/core/redact";
import { z } from "zod";
import { createBashJobsTool } from "../bash/bash-jobs-tool.ts";
import { createBashTool } from "../bash/bash-tool.ts";
import { createGlobTool } from "../search/glob-tool.ts";
import { createGrepTool } from "../search/grep-tool.ts";
import { jobEvents } from "../run/job-events.ts";
import { createJobs } from "../run/jobs.ts";
import { commandReader } from "./command-reader.ts";
import { keepJobLogs } from "./job-logs.ts";
import { redactFiles } from "./redact-files.ts";

/** The mount of the commands that run in the background. */
const JOBS = "jobs";
/** Bytes that are kept of what one command prints. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024;

/**
 * Commands, search, the stream of the jobs that run in the background, and what reads commands for the policy.
 *
 * Contract: closing ends what still runs.
 */
export const shellPart: Part<object> = definePart({
  name: "shell",
  options: z.strictObject({}),
  needs: ["folder", "ownFiles", "outputFolders", "logs"],
  async open(_, { sources, shorten, services: { folder, ownFiles, outputFolders, logs, saves }, warn }) {
    if (folder === undefined || ownFiles === undefined || outputFolders === undefined || logs === undefined) return {};
    const redactor = createRedactor();
    // A folder of this process, so that nobody else's running command is disturbed when secrets are taken out.
    const run = `run-${randomUUID()}`;
    const used = new Set<string>();
    const outputDir = (agent: string): string => {
      const own = join(outputFolders.folderOf(agent), run);
      used.add(own);
      return own;
    };
    const jobs = createJobs({ root: folder, outputDir, maxKeptBytes: MAX_KEPT_BYTES });
    const kept = keepJobLogs({ jobs, logs, prefix: randomUUID().slice(0, 8), warn });
    const searching = {
      sources,
      isOwn: (local: string, mount: string) => ownFiles.isOwn(local, mount),
      ownFolders: () => ownFiles.folders(),
      ...(saves !== undefined && { saves }),
    };
    return {
      services: { commandReader },
      tools: [
        createBashTool({ jobs, sources, logOf: kept.labelOf }),
        createBashJobsTool(jobs),
        shorten(createGrepTool(searching)),
        shorten(createGlobTool(searching)),
      ],
      mounts: [{ mount: JOBS, source: jobEvents(jobs), options: {} }],
      async close() {
        await jobs.close();
        await kept.settled;
        for (const one of used) await redactFiles(one, redactor);
      },
    };
  },
});
