import { spawn } from "node:child_process";
import { IkigaiError, messageOf } from "@ikigai/core";
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
}

export interface HookAnswer {
  readonly decision: "allow" | "deny";
  readonly reason?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 65_536;

/**
 * Gives `call` to the hook as one JSON line and takes its answer from standard output.
 *
 * Contract: no output means no objection. A hook that cannot start, fails, answers anything else, or takes too long
 * denies; nothing it says changes the call.
 */
export async function askHook(
  hook: CommandHook,
  call: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HookAnswer> {
  try {
    const answer = await runHook(hook, JSON.stringify(call), env);
    if (answer.trim() === "") return { decision: "allow" };
    const { decision, reason } = answerSchema.parse(JSON.parse(answer));
    return { decision, ...(reason !== undefined && { reason }) };
  } catch (error) {
    return { decision: "deny", reason: `the hook ${hook.command[0]} failed: ${messageOf(error).split("\n")[0]}` };
  }
}

/** Whether the hook wants to hear of `tool`. */
export function hookApplies({ tools }: CommandHook, tool: string): boolean {
  return tools === undefined || tools.includes(tool);
}

async function runHook(
  { command, timeoutMs = TIMEOUT_MS }: CommandHook,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [program, ...args] = command;
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  const { promise, resolve, reject } = withResolvers<string>();
  let answer = "";
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    reject(new IkigaiError("timeout", `it did not answer within ${timeoutMs} ms`));
  }, timeoutMs);
  child.once("error", reject);
  child.stdin.on("error", () => {}); // A hook may answer without reading.
  child.stdin.end(`${input}\n`);
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    answer += chunk;
    if (answer.length > MAX_ANSWER) child.kill("SIGKILL");
  });
  child.once("close", (code) => {
    if (code === 0) resolve(answer);
    else reject(new IkigaiError("unavailable", `it ended with code ${code ?? "none"}`));
  });
  return promise.finally(() => clearTimeout(timer));
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
