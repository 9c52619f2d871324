import { type Actor, IkigaiError } from "@ikigai/core";
import type { JobLog } from "./job-log.ts";
import type { CapturedOutput, OutputCapture } from "./output-capture.ts";
import type { OutputNotifier } from "./output-notifier.ts";
import type { CommandExit, RunningCommand } from "./run-command.ts";

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

/** Where the jobs of one host are listed. */
export interface JobLists {
  readonly running: Set<Job>;
  readonly jobs: Map<string, Job>;
  readonly log: JobLog;
  readonly forgetOldest: () => void;
}

/** What one started command is made of. */
export interface JobParts {
  readonly started: RunningCommand;
  readonly capture: OutputCapture;
  readonly notifier: OutputNotifier;
  readonly maxOutputChars: number;
  /** Whether the command is shown as a job: from the start in the background, else once it left processes running. */
  readonly listed: { is: boolean };
  readonly lists: JobLists;
}

const LOOK_EVERY_MS = 1_000;

/** A command that was started, as a job that ends when the last of its processes is gone. */
export function createJob(id: string, { command, actor }: StartOptions, parts: JobParts): Job {
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
