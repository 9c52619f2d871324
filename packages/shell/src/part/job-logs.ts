import type { Actor } from "@ikigai/core";
import type { LogKeeper } from "@ikigai/core/host";
import { createRedactor } from "@ikigai/core/redact";
import type { Jobs } from "../run/jobs.ts";

export interface JobLogsOptions {
  readonly jobs: Jobs;
  readonly logs: LogKeeper;
  /** Tells the jobs of this process from those of others. */
  readonly prefix: string;
  readonly warn: (message: string) => void;
}

/** The blocks that keep what background jobs print, one Log each. */
export interface JobLogs {
  labelOf(job: string): string;
  /** Resolves when the jobs are closed and everything is kept. */
  readonly settled: Promise<void>;
}

const MAX_ENTRIES = 500;
const MAX_ENTRY_CHARS = 4_000;

/** Contract: costs nothing until a job starts. What cannot be kept is told once, and the job goes on. */
export function keepJobLogs({ jobs, logs, prefix, warn }: JobLogsOptions): JobLogs {
  const labelOf = (job: string): string => `jobs/${prefix}/${job}`;
  const redactor = createRedactor();
  const never = new AbortController().signal;
  let failed = false;

  function keep(job: string, agent: string, text: string): Promise<void> {
    const actor: Actor = { agent, conversation: "jobs", callId: job, tool: "bash" };
    return logs.append(labelOf(job), cut(redactor.redact(text)), { maxEntries: MAX_ENTRIES }, actor);
  }

  async function follow(): Promise<void> {
    let last = 0;
    for (;;) {
      const { events } = jobs.log.after(last);
      for (const { sequence, job, agent, text } of events) {
        last = sequence;
        await keep(job, agent, text.replaceAll("\0", "\\0")).catch((error: unknown) => {
          if (!failed) warn(`the log of ${job} is not kept: ${String(error)}`);
          failed = true;
        });
      }
      if (events.length > 0) continue;
      if (jobs.log.isClosed) return;
      await jobs.log.next(never);
    }
  }

  return { labelOf, settled: follow() };
}

function cut(text: string): string {
  return text.length > MAX_ENTRY_CHARS ? `${text.slice(0, MAX_ENTRY_CHARS)}…` : text;
}
