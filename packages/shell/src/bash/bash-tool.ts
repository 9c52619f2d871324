import { type AnyTool, defineTool, type Effect, IkigaiError } from "@ikigai/core";
import { createPlanner, type Route, type SourceManager } from "@ikigai/core/host";
import * as z from "zod";
import { quoteWord } from "../command/command-addresses.ts";
import type { Job, StartOptions } from "../run/job.ts";
import type { Jobs } from "../run/jobs.ts";
import { holdFolder, judgeFolder, type JudgedFolder } from "../run/judged-folder.ts";
import {
  type AddressOutcome,
  type KeepFile,
  leaveAside,
  type MaterialisedAddress,
  materialise,
  routesOf,
  writeBack,
} from "../command/materialise.ts";
import type { CapturedOutput } from "../run/output-capture.ts";
import { bashText } from "./bash-text.ts";
import type { CommandExit } from "../run/run-command.ts";

export interface BashToolOptions {
  readonly jobs: Jobs;
  /** Where addresses in commands are read and written. Absent: they are plain words. */
  readonly sources?: SourceManager;
  /** The block that a job's output is kept in, when there is one. */
  readonly logOf?: (job: string) => string;
  /** Milliseconds a command may take unless it says otherwise. Default 120,000. */
  readonly timeoutMs?: number;
}

/** What a command answers. */
export interface BashResult {
  readonly output: string;
  /** Absent for a job in the background, which has not ended. */
  readonly exit_code?: number;
  readonly signal?: string;
  /** The job, when something of the command still runs. */
  readonly job?: string;
  /** The label of the block that keeps what a background job prints. */
  readonly log?: string;
  /** Processes that the command left running. */
  readonly still_running?: number;
  /** Where the whole output is, when `output` is not all of it. */
  readonly kept?: {
    readonly path: string;
    readonly bytes: number;
    readonly total_bytes: number;
    readonly error?: string;
  };
  /** What became of the addresses that the command changed. */
  readonly addresses?: readonly AddressOutcome[];
}

const TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** Time beyond the command's own limit for ending it, writing back and asking. */
const SLACK_MS = 30_000;

const DESCRIPTION = `Runs a command with bash in the workspace and answers with its combined output and exit code.
Any exit code is a success of this tool: read exit_code. There is no standard input and no terminal.
Long output is cut in the middle; kept.path names a file with the whole. Addresses such as ikigai:///blocks/a.md may
stand as words of a command: it gets real paths, and what it changes is written back.
Use background for servers and long work, then bash_jobs to look at it. Prefer grep, glob and file_read for looking.`;

const BASH_INPUT = z.object({
  command: z.string().min(1).max(100_000).describe("The command line."),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe("Milliseconds until it is killed. Default 120000. Not for background jobs."),
  background: z.boolean().optional().describe("Answer at once with a job id and let it run."),
  cwd: z.string().max(4_096).optional().describe("Folder to run in, inside the workspace. Default: its root."),
});

type BashInput = z.output<typeof BASH_INPUT>;

const BASH_OUTPUT = z.looseObject({
  output: z.string(),
  exit_code: z.int().optional().describe("Absent for a job in the background"),
  signal: z.string().optional(),
  job: z.string().optional().describe("When something of the command still runs"),
  log: z.string().optional().describe("The block that keeps what a background job prints"),
  still_running: z.int().optional(),
  kept: z.looseObject({ path: z.string(), bytes: z.int(), total_bytes: z.int() }).optional(),
  addresses: z.array(z.looseObject({})).optional(),
});

export function createBashTool(options: BashToolOptions): AnyTool {
  const { jobs, sources } = options;
  const planner = createPlanner(async ({ command, cwd = "." }: BashInput) => {
    const folder = await judgeFolder(jobs.root, cwd).catch((error: unknown) => {
      if (error instanceof IkigaiError) return error;
      throw error;
    });
    return { effects: effectsOf(command, cwd, routesOf(command, sources)), work: () => folderOrThrow(folder) };
  });

  /** Contract: starts nothing but in the folder that the call was judged for. */
  async function start(folder: JudgedFolder, request: Omit<StartOptions, "cwd">): Promise<Job> {
    await using held = await holdFolder(folder);
    return await jobs.start({ ...request, cwd: held.path });
  }

  return defineTool({
    name: "bash",
    title: "Run a command",
    description: DESCRIPTION,
    input: BASH_INPUT,
    output: BASH_OUTPUT,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    timeoutMs: MAX_TIMEOUT_MS + SLACK_MS,
    effects: planner.effects,
    // The command itself is the target of the effect.
    preview: async ({ cwd, background }) => ({
      description: `${background === true ? "Start in the background" : "Run"} in ${cwd ?? "."}`,
    }),
    async run(input, context) {
      assertSupported();
      const folder = await planner.work(input, context);
      const routes = routesOf(input.command, sources);
      if (input.background === true) {
        if (routes.size > 0) throw noAddressesInBackground([...routes.keys()]);
        const { id } = await start(folder, { command: input.command, actor: context, background: true });
        return { output: "", job: id, ...(options.logOf && { log: options.logOf(id) }) } satisfies BashResult;
      }
      const { command, files } =
        routes.size === 0
          ? { command: input.command, files: [] }
          : await materialise(input.command, routes, await jobs.makeFolder(), context);
      context.signal.throwIfAborted();
      const onProgress = (text: string): void => context.progress(withAddresses(text, files));
      const job = await start(folder, { command, actor: context, background: false, onProgress });
      const timeoutMs = input.timeout_ms ?? options.timeoutMs ?? TIMEOUT_MS;
      const keep = (path: string): Promise<string | undefined> => jobs.keepFile(path, context);
      const exit = await waitFor(job, timeoutMs, context.signal);
      if (exit === undefined) throw await timedOut(job, timeoutMs, files, keep);
      const addresses = await writeBack(files, context, keep);
      return toResult(job, exit, await outputOf(job, files), addresses);
    },
    toText: bashText,
  });
}

/** Where a command runs is part of what it does: `npm test` in another folder is another command. */
function effectsOf(command: string, cwd: string, routes: ReadonlyMap<string, Route>): readonly Effect[] {
  const reads = new Set([...routes.values()].map(({ uri }) => uri));
  const elsewhere = { target: `cd ${quoteWord(cwd)} && ${command}`, command, cwd };
  return [
    { action: "execute", ...(cwd === "." ? { target: command } : elsewhere) },
    ...[...reads].map((target) => ({ action: "read" as const, target })),
  ];
}

function folderOrThrow(folder: JudgedFolder | IkigaiError): JudgedFolder {
  if (folder instanceof IkigaiError) throw folder;
  return folder;
}

/** How the command ended, or `undefined` when it took too long. Either way, or when aborted, nothing of it runs on. */
async function waitFor(job: Job, timeoutMs: number, signal: AbortSignal): Promise<CommandExit | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  const stopped = new Promise<"timeout" | "abort">((resolve) => {
    timer = setTimeout(resolve, timeoutMs, "timeout");
    onAbort = () => resolve("abort");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    const first = await Promise.race([job.exited, stopped]);
    if (typeof first === "object") return first;
    await job.kill();
    if (first === "abort") throw new IkigaiError("aborted", "The command was cancelled and killed");
    return undefined;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

async function timedOut(
  job: Job,
  timeoutMs: number,
  files: readonly MaterialisedAddress[],
  keep: KeepFile,
): Promise<IkigaiError> {
  const error = new IkigaiError("timeout", `The command did not finish within ${timeoutMs} ms and was killed`, {
    hint: "Give a larger timeout_ms, or run it with background: true.",
  });
  const addresses = await leaveAside(files, error, keep);
  const captured = await outputOf(job, files);
  return new IkigaiError("timeout", error.message, {
    hint: "Give a larger timeout_ms, or run it with background and look at it with bash_jobs.",
    details: { output: captured.text, ...keptPart(captured), ...(addresses.length > 0 && { addresses }) },
  });
}

async function outputOf(job: Job, files: readonly MaterialisedAddress[]): Promise<CapturedOutput> {
  const captured = await job.output();
  return { ...captured, text: withAddresses(captured.text, files) };
}

/** What a command says of the files that stood for addresses, said of the addresses. */
function withAddresses(text: string, files: readonly MaterialisedAddress[]): string {
  return files.reduce((said, { path, route }) => said.replaceAll(path, route.uri), text);
}

function toResult(
  job: Job,
  { exitCode, signal, stillRunning }: CommandExit,
  captured: CapturedOutput,
  addresses: readonly AddressOutcome[],
): BashResult {
  return {
    output: captured.text,
    exit_code: exitCode,
    ...(signal !== undefined && { signal }),
    ...(stillRunning > 0 && { job: job.id, still_running: stillRunning }),
    ...keptPart(captured),
    ...(addresses.length > 0 && { addresses }),
  };
}

function keptPart({ kept, totalBytes }: CapturedOutput): Pick<BashResult, "kept"> {
  return kept === undefined ? {} : { kept: { ...kept, total_bytes: totalBytes } };
}

function noAddressesInBackground(addresses: readonly string[]): IkigaiError {
  return new IkigaiError("unsupported", `A background job cannot use addresses: ${addresses.join(", ")}`, {
    hint: "Run it in the foreground, or copy the text to a file first.",
  });
}

function assertSupported(): void {
  if (process.platform !== "win32") return;
  throw new IkigaiError("unsupported", "bash needs a POSIX system", { hint: "Run ikigai inside WSL." });
}
