import { spawn } from "node:child_process";
import { IkigaiError, messageOf } from "@ikigai/core";
import { type Family, markedCommand, programFile, newMark, processTime, sweep } from "@ikigai/core/process";
import { z } from "zod";

const answerSchema = z.strictObject({ decision: z.enum(["allow", "deny"]), reason: z.string().max(2_000).optional() });

/** A command of the user's that is told of calls. */
export interface CommandHook {
  /** Program and arguments. Never passed through a shell. */
  readonly command: readonly [string, ...string[]];
  /** The tools it wants to hear of. Absent: all. */
  readonly tools?: readonly string[];
  /** Milliseconds it may take. Default 10,000. */
  readonly timeoutMs?: number;
  /** Folder it runs in. Default: that of this process. */
  readonly cwd?: string;
  /**
   * Gives the program and arguments that are started, asked before each run. Default: `command` as it is.
   *
   * Contract: a rejection denies the call, and its message is the reason.
   */
  readonly prepare?: () => Promise<readonly [string, ...string[]]>;
}

export interface HookAnswer {
  readonly decision: "allow" | "deny";
  readonly reason?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 65_536;
/** Characters of complaints that are read at all. */
const MAX_PRINTED = 1_048_576;
const MAX_COMPLAINT = 400;
const MAX_NAME = 200;

/**
 * Gives `call` to the hook as one JSON line and takes its answer from standard output.
 *
 * Contract: no output means no objection. A hook that cannot start, fails, answers anything else, or takes too long
 * denies, and the reason names it and how it ended; nothing it says changes the call. However it ends, nothing that it
 * started runs on, and one that prints without end costs bounded memory.
 */
export async function askHook(
  hook: CommandHook,
  call: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HookAnswer> {
  try {
    const answer = await runHook(hook, JSON.stringify(call), env);
    if (answer.trim() === "") return { decision: "allow" };
    const { decision, reason } = readAnswer(answer);
    return { decision, ...(reason !== undefined && { reason }) };
  } catch (error) {
    return { decision: "deny", reason: `the hook ${nameOf(hook)} failed: ${messageOf(error)}` };
  }
}

/** Whether the hook wants to hear of `tool`. */
export function hookApplies({ tools }: CommandHook, tool: string): boolean {
  return tools === undefined || tools.includes(tool);
}

function readAnswer(answer: string): z.infer<typeof answerSchema> {
  try {
    return answerSchema.parse(JSON.parse(answer));
  } catch (cause) {
    const shown = JSON.stringify(answer.trim().slice(0, 100));
    const wanted = `{"decision":"allow"} or {"decision":"deny","reason":"…"}`;
    throw new IkigaiError("invalid_input", `it answered ${shown} instead of nothing, ${wanted}`, { cause });
  }
}

/** The command as it was configured, on one line. */
function nameOf({ command }: CommandHook): string {
  const whole = command.join(" ").replaceAll(/\s+/g, " ");
  return whole.length > MAX_NAME ? `${whole.slice(0, MAX_NAME)}…` : whole;
}

async function runHook(
  { command, prepare, cwd, timeoutMs = TIMEOUT_MS }: CommandHook,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [program, ...args] = (await prepare?.()) ?? command;
  const mark = newMark();
  const where = { path: env["PATH"] ?? "", ...(cwd !== undefined && { cwd }) };
  const [file, words] = markedCommand(mark, programFile(program, where), args);
  const since = processTime();
  const child = spawn(file, words, { env, stdio: ["pipe", "pipe", "pipe"], detached: true, ...(cwd && { cwd }) });
  const { promise, resolve, reject } = withResolvers<string>();
  let answer = "";
  let complaint = "";
  let complained = 0;
  /** Stops reading, so that a hook that still prints waits and is then ended. */
  const stop = (error: IkigaiError): void => {
    child.stdout.destroy();
    child.stderr.destroy();
    reject(error);
  };
  const tooMuch = (limit: number): void =>
    stop(new IkigaiError("over_budget", `it printed more than ${limit} characters, and was killed`));
  const timer = setTimeout(
    () => stop(new IkigaiError("timeout", `it did not answer within ${timeoutMs} ms, and was killed`)),
    timeoutMs,
  );
  child.once("error", reject);
  child.stdin.on("error", () => {}); // A hook may answer without reading.
  child.stdin.end(`${input}\n`);
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    answer += chunk;
    if (answer.length > MAX_ANSWER) tooMuch(MAX_ANSWER);
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    if (complaint.length < MAX_COMPLAINT) complaint += chunk.slice(0, MAX_COMPLAINT);
    complained += chunk.length;
    if (complained > MAX_PRINTED) tooMuch(MAX_PRINTED);
  });
  const family: Family = {
    since,
    ...(mark !== undefined && { marks: [mark] }),
    ...(child.pid && { leader: child.pid }),
  };
  // Processes that the hook left behind may hold its output open, and would keep the answer waiting.
  let ending: Promise<void> | undefined;
  const endOnce = (): Promise<void> => (ending ??= endAll(family));
  child.once("exit", () => void endOnce().catch(reject));
  child.once("close", (code, signal) => {
    if (code === 0) return resolve(answer);
    const said = complaint
      .trim()
      .slice(0, MAX_COMPLAINT)
      .replaceAll(/\s*\n\s*/g, " / ");
    const how = code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
    reject(new IkigaiError("unavailable", said === "" ? how : `${how}: ${said}`));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await endOnce();
  }
}

/** Contract: rejects with `unavailable` and the numbers of those that could not be ended. */
async function endAll(family: Family): Promise<void> {
  if (family.leader === undefined) return;
  const left = await sweep(family, { graceMs: 0 });
  if (left.length === 0) return;
  throw new IkigaiError("unavailable", `it left processes that could not be ended: ${left.join(", ")}`);
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
