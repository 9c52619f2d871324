/// <reference types="node" preserve="true" />
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Actor, IkigaiError } from "@ikigai/core";
import { newMark } from "@ikigai/core/process";
import { copyRegularFile } from "../command/copy-regular-file.ts";
import { buildEnvironment, type EnvironmentOptions } from "./environment.ts";
import type { Job, StartOptions } from "./job.ts";
import { createJobLog, type JobLog } from "./job-log.ts";
import { startJob } from "./start-job.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

export interface JobsOptions {
  /** The folder that commands run in and may not be started outside of. */
  readonly root: string;
  /** Default `/bin/bash`, or `/bin/sh` where there is none. */
  readonly shell?: string;
  readonly environment?: EnvironmentOptions;
  /** Where long outputs are kept. Default: a private folder that goes with this process. */
  readonly outputDir?: string | ((agent: string) => string);
  /** Bytes kept of one output. Default 1 GiB. */
  readonly maxKeptBytes?: number;
  /** Characters of JSON of an output that an answer holds. Default 24,000. */
  readonly maxOutputChars?: number;
  /** Commands that run at once. Default 64. */
  readonly maxRunning?: number;
  /** Background jobs that are remembered after their end. Default 100. */
  readonly keepFinished?: number;
}

/** Runs commands, and keeps those that run in the background. */
export interface Jobs {
  readonly root: string;
  start(options: StartOptions): Promise<Job>;
  /** The agent's jobs, oldest first. */
  list(agent: string): readonly Job[];
  /** Contract: throws `not_found` for a job that is unknown or another agent's. */
  get(id: string, agent: string): Job;
  /** What happened to background jobs. */
  readonly log: JobLog;
  /** A new private folder, removed when this process ends. */
  makeFolder(): Promise<string>;
  /**
   * Copies a file to where long outputs are kept, readable by its owner alone, and gives the new path.
   *
   * Contract: `undefined` for anything but a regular file; links are not followed.
   */
  keepFile(path: string, actor: Pick<Actor, "agent" | "callId">): Promise<string | undefined>;
  /** Ends every command and removes temporary files. Nothing can be started afterwards. */
  close(): Promise<void>;
}

const MAX_KEPT_BYTES = 1024 ** 3;
const MAX_OUTPUT_CHARS = 24_000;
const MAX_RUNNING = 64;
const KEEP_FINISHED = 100;
/** Names a command's processes. A command inside a command keeps the outer name in front of its own. */
const MARKER = "IKIGAI_CALL_ID";

/** Contract: whoever creates it closes it. If this process dies first, a watchdog does. */
export function createJobs(options: JobsOptions): Jobs {
  const root = realpathSync(options.root);
  const outer = process.env[MARKER];
  const host = `ikigai-${randomUUID()}`;
  const shell = options.shell ?? (existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh");
  const log = createJobLog();
  const jobs = new Map<string, Job>();
  const running = new Set<Job>();
  let count = 0;
  let keptFiles = 0;
  let opened: Promise<{ folder: string; watchdog: Watchdog }> | undefined;
  let closed = false;

  async function open(): Promise<{ folder: string; watchdog: Watchdog }> {
    const folder = await mkdtemp(join(tmpdir(), "ikigai-shell-"));
    return { folder, watchdog: createWatchdog(host, folder, outer === undefined ? {} : { [MARKER]: outer }) };
  }

  function outputDirOf(agent: string): string | undefined {
    return typeof options.outputDir === "function" ? options.outputDir(agent) : options.outputDir;
  }

  function assertRoom(): void {
    if (closed) throw new IkigaiError("unavailable", "The shell was closed");
    const limit = options.maxRunning ?? MAX_RUNNING;
    if (running.size < limit) return;
    throw new IkigaiError("unavailable", `${running.size} commands run already, and ${limit} may`, {
      hint: "Kill a job with bash_jobs, or wait for one to end.",
    });
  }

  function forgetOldest(): void {
    const finished = [...jobs.values()].filter((job) => !job.isRunning);
    for (const job of finished.slice(0, -(options.keepFinished ?? KEEP_FINISHED))) jobs.delete(job.id);
  }

  async function start(request: StartOptions): Promise<Job> {
    assertRoom();
    const { folder, watchdog } = await (opened ??= open());
    const mark = newMark();
    watchdog.ensure(mark);
    const id = `job-${++count}`;
    const marker = `${host}.${count}.`;
    const outputDir = outputDirOf(request.actor.agent) ?? folder;
    await mkdir(outputDir, { recursive: true, mode: 0o700 });
    return startJob(request, {
      id,
      shell,
      root,
      environment: {
        ...buildEnvironment(root, options.environment),
        [MARKER]: outer === undefined ? marker : `${outer}/${marker}`,
      },
      marker,
      mark,
      folder,
      outputFile: join(outputDir, `${fileNameOf(request.actor.callId)}-${id}.out`),
      maxOutputChars: options.maxOutputChars ?? MAX_OUTPUT_CHARS,
      maxKeptBytes: options.maxKeptBytes ?? MAX_KEPT_BYTES,
      lists: { running, jobs, log, forgetOldest },
    });
  }

  return {
    root,
    log,
    start,
    list: (agent) => [...jobs.values()].filter((job) => job.agent === agent),
    get(id, agent) {
      const job = jobs.get(id);
      if (job?.agent === agent) return job;
      throw new IkigaiError("not_found", `No job ${JSON.stringify(id)}`, { hint: "List the jobs with bash_jobs." });
    },
    async makeFolder() {
      const { folder } = await (opened ??= open());
      return mkdtemp(join(folder, "files-"));
    },
    async keepFile(path, { callId, agent }) {
      const { folder } = await (opened ??= open());
      const outputDir = outputDirOf(agent) ?? folder;
      await mkdir(outputDir, { recursive: true, mode: 0o700 });
      const name = `${fileNameOf(callId)}-${++keptFiles}-${basename(path)}`;
      return copyRegularFile(path, join(outputDir, name));
    },
    async close() {
      closed = true;
      await Promise.allSettled([...running].map((job) => job.kill()));
      const { folder, watchdog } = (await opened) ?? {};
      await watchdog?.release();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      log.close();
    },
  };
}

function fileNameOf(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9-]/g, "_").slice(0, 60);
}
