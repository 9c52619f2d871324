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
import { harmlessCommand } from "../command/harmless-command.ts";
import { createJobLog, type JobLog } from "./job-log.ts";
import { type CapturedOutput, createCapture, type OutputCapture } from "./output-capture.ts";
import { createNotifier, type OutputNotifier } from "./output-notifier.ts";
import { type CommandExit, runCommand, type RunningCommand } from "./run-command.ts";
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

export interface StartOptions {
  readonly command: string;
  readonly cwd: string;
  readonly actor: Actor;
  /** Whether it is listed as a job and reports events from the start. */
  readonly background: boolean;
  readonly onProgress?: (text: string) => void;
}

/** A command that was started. */
export interface Job {
  readonly id: string;
  readonly command: string;
  readonly agent: string;
  readonly startedAt: Date;
  /** Present once its shell has ended. Processes it left behind may still run. */
  readonly exit: CommandExit | undefined;
  readonly isRunning: boolean;
  readonly exited: Promise<CommandExit>;
  output(): Promise<CapturedOutput>;
  read(offset: number, limit: number): Promise<{ readonly bytes: Buffer; readonly totalBytes: number }>;
  /** Ends all its processes. Rejects with `unavailable` when some could not be ended. */
  kill(): Promise<void>;
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
const LOOK_EVERY_MS = 1_000;
/** Names a command's processes. A command inside a command keeps the outer name in front of its own. */
const MARKER = "IKIGAI_CALL_ID";

/** Contract: whoever creates it closes it. If this process dies first, a watchdog does. */
export function createJobs(options: JobsOptions): Jobs {
  const root = realpathSync(options.root);
  const outer = process.env[MARKER];
  const host = `ikigai-${randomUUID()}`;
  const shell = options.shell ?? (existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh");
  const maxOutputChars = options.maxOutputChars ?? MAX_OUTPUT_CHARS;
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

  const lists: JobLists = { running, jobs, log, forgetOldest };

  async function start(request: StartOptions): Promise<Job> {
    assertRoom();
    const { folder, watchdog } = await (opened ??= open());
    const mark = newMark();
    watchdog.ensure(mark);
    const id = `job-${++count}`;
    const marker = `${host}.${count}.`;
    const outputDir = outputDirOf(request.actor.agent) ?? folder;
    await mkdir(outputDir, { recursive: true, mode: 0o700 });
    const capture = createCapture({
      headBytes: Math.floor(maxOutputChars * 0.4),
      tailBytes: Math.floor(maxOutputChars * 0.5),
      file: join(outputDir, `${fileNameOf(request.actor.callId)}-${id}.out`),
      maxKeptBytes: options.maxKeptBytes ?? MAX_KEPT_BYTES,
    });
    const listed = { is: request.background };
    const notifier = createNotifier((text) => {
      request.onProgress?.(text);
      if (listed.is) log.add({ job: id, agent: request.actor.agent, kind: "output", text });
    });
    const environment = {
      ...buildEnvironment(root, options.environment),
      [MARKER]: outer === undefined ? marker : `${outer}/${marker}`,
    };
    const { command, cwd } = request;
    const harmless = await harmlessCommand(command, { root, cwd, environment });
    const started = await runCommand({
      shell,
      command: harmless.command,
      cwd,
      environment: { ...environment, ...harmless.environment },
      marker,
      mark,
      folder,
      capture,
      onOutput: (chunk) => notifier.add(chunk),
    });
    const job = createJob(id, request, { started, capture, notifier, maxOutputChars, listed, lists });
    running.add(job);
    if (request.background) {
      jobs.set(id, job);
      log.add({ job: id, agent: request.actor.agent, kind: "start", text: `${id} started: ${command}` });
      started.detach();
    }
    return job;
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

/** Where the jobs of one host are listed. */
interface JobLists {
  readonly running: Set<Job>;
  readonly jobs: Map<string, Job>;
  readonly log: JobLog;
  readonly forgetOldest: () => void;
}

/** What one started command is made of. */
interface JobParts {
  readonly started: RunningCommand;
  readonly capture: OutputCapture;
  readonly notifier: OutputNotifier;
  readonly maxOutputChars: number;
  /** Whether the command is shown as a job: from the start in the background, else once it left processes running. */
  readonly listed: { is: boolean };
  readonly lists: JobLists;
}

/** A command that was started, as a job that ends when the last of its processes is gone. */
function createJob(id: string, { command, actor }: StartOptions, parts: JobParts): Job {
  const { started, capture, notifier, maxOutputChars, listed } = parts;
  const { running, jobs, log, forgetOldest } = parts.lists;
  let exit: CommandExit | undefined;

  function end(): void {
    if (!running.delete(job)) return;
    notifier.end();
    void capture.close();
    if (listed.is) {
      const text = `${id} ended with exit code ${exit?.exitCode}`;
      log.add({ job: id, agent: actor.agent, kind: "exit", text, exitCode: exit?.exitCode as number });
    }
    forgetOldest();
  }

  /** Processes may outlive the shell that started them; then they stay a job until the last is gone. */
  function watchRest(): void {
    if (started.count() === 0) return end();
    setTimeout(watchRest, LOOK_EVERY_MS).unref();
  }

  const job: Job = {
    id,
    command,
    agent: actor.agent,
    startedAt: new Date(),
    get exit() {
      return exit;
    },
    get isRunning() {
      return running.has(job);
    },
    exited: started.exited.then((how) => {
      exit = how;
      if (how.stillRunning === 0) end();
      else {
        listed.is = true;
        jobs.set(id, job);
        watchRest();
      }
      return how;
    }),
    output: () => capture.snapshot(maxOutputChars),
    async read(offset, limit) {
      return { bytes: await capture.read(offset, limit), totalBytes: capture.totalBytes };
    },
    async kill() {
      const left = await started.kill();
      if (left.length > 0) {
        throw new IkigaiError("unavailable", `${id}: ${left.length} processes could not be ended: ${left.join(", ")}`);
      }
      await job.exited;
      end();
    },
  };
  return job;
}

function fileNameOf(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9-]/g, "_").slice(0, 60);
}
