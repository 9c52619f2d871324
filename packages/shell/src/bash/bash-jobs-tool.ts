import { type AnyTool, defineTool, IkigaiError } from "@ikigai/core";
import * as z from "zod";
import type { Job } from "../run/job.ts";
import type { Jobs } from "../run/jobs.ts";
import { toText, trimEnd, trimStart } from "../run/output-text.ts";

const OPERATIONS = {
  list: "the jobs, oldest first, and whether they run",
  output: "a part of a job's output: job, offset and limit in bytes. Without offset, the end of it",
  kill: "end a job and everything it started",
} as const;

const LIMIT_BYTES = 16_000;

const JOBS_INPUT = z.object({
  op: z.enum(["list", "output", "kill"]),
  job: z.string().max(40).optional().describe("The id that bash answered with. For output and kill."),
  offset: z.int().min(0).optional().describe("First byte of the output to show."),
  limit: z.int().min(1).max(LIMIT_BYTES).optional().describe(`Bytes to show. Default and most ${LIMIT_BYTES}.`),
});

const JOB = {
  job: z.string(),
  command: z.string(),
  state: z.enum(["running", "ended"]),
  started_at: z.string(),
  exit_code: z.int().optional(),
};

const JOBS_OUTPUT = z.looseObject({
  jobs: z.array(z.looseObject(JOB)).optional().describe("list: oldest first"),
  ...z.object(JOB).partial().shape,
  output: z.string().optional(),
  offset: z.int().optional(),
  next_offset: z.int().optional(),
  total_bytes: z.int().optional(),
});

/** Looks at and ends what bash runs in the background. An agent sees only its own jobs. */
export function createBashJobsTool(jobs: Jobs): AnyTool {
  return defineTool({
    name: "bash_jobs",
    title: "Background jobs",
    description: "Lists, reads and ends commands that bash runs in the background.",
    input: JOBS_INPUT,
    output: JOBS_OUTPUT,
    operations: OPERATIONS,
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    effects({ op, job }, { agent }) {
      if (op !== "kill") return [];
      return [{ action: "execute" as const, target: `kill ${find(jobs, job, agent).id}` }];
    },
    async run({ op, job, offset, limit }, { agent }): Promise<unknown> {
      if (op === "list") return { jobs: jobs.list(agent).map(describe) };
      const found = find(jobs, job, agent);
      if (op === "output") return { ...describe(found), ...(await part(found, offset, limit ?? LIMIT_BYTES)) };
      await found.kill();
      return describe(found);
    },
  });
}

function find(jobs: Jobs, id: string | undefined, agent: string): Job {
  if (id !== undefined) return jobs.get(id, agent);
  throw new IkigaiError("invalid_input", "This operation needs a job", { hint: "List the jobs first." });
}

function describe(job: Job): Record<string, unknown> {
  return {
    job: job.id,
    command: job.command,
    state: job.isRunning ? "running" : "ended",
    started_at: job.startedAt.toISOString(),
    ...(job.exit !== undefined && { exit_code: job.exit.exitCode }),
  };
}

async function part(job: Job, offset: number | undefined, limit: number): Promise<Record<string, unknown>> {
  const { totalBytes } = await job.read(0, 0);
  const from = offset ?? Math.max(0, totalBytes - limit);
  const { bytes } = await job.read(from, limit);
  const shown = trimEnd(trimStart(bytes));
  return { output: toText(shown), offset: from, next_offset: from + bytes.length, total_bytes: totalBytes };
}
