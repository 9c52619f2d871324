import type { Actor } from "@ikigai/core";
import { type BlockService } from "@ikigai/memory";
import { createRedactor } from "@ikigai/permission";
import type { Jobs } from "@ikigai/shell";

export interface JobBlocksOptions {
  readonly jobs: Jobs;
  readonly blocks: Pick<BlockService, "define" | "edit">;
  /** Tells the jobs of this process from those of others. */
  readonly prefix: string;
  readonly warn: (message: string) => void;
}

/** The blocks that keep what background jobs print, one Log each. */
export interface JobBlocks {
  labelOf(job: string): string;
  /** Resolves when the jobs are closed and everything is kept. */
  readonly settled: Promise<void>;
}

const MAX_ENTRIES = 500;
const MAX_ENTRY_CHARS = 4_000;

/** Contract: costs nothing until a job starts. What cannot be kept is told once, and the job goes on. */
export function keepJobBlocks({ jobs, blocks, prefix, warn }: JobBlocksOptions): JobBlocks {
  const labelOf = (job: string): string => `jobs/${prefix}/${job}`;
  const known = new Set<string>();
  const redactor = createRedactor();
  const never = new AbortController().signal;
  let failed = false;

  async function keep(job: string, agent: string, text: string): Promise<void> {
    const label = labelOf(job);
    const actor: Actor = { agent, conversation: "jobs", callId: job, tool: "bash" };
    if (!known.has(label)) {
      known.add(label);
      const schema = { kind: "log", max_items: MAX_ENTRIES } as const;
      await blocks.define({ label, type: "log", schema, permission: "append" }, actor);
    }
    await blocks.edit(label, { op: "append", content: cut(redactor.redact(text)) }, actor);
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
