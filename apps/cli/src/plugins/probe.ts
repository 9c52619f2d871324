import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { pluginFailure } from "./plugin-failure.ts";

const PROBE = fileURLToPath(new URL("../../bin/probe-plugin.js", import.meta.url));
const KEEP_OUTPUT = 200;

interface Outcome {
  readonly error?: string;
  readonly added?: readonly string[];
  readonly left?: readonly string[];
}

/**
 * Imports a plugin in a process of its own first, so that one which exits, hangs, prints, leaves something running or
 * changes what all code shares harms nobody.
 *
 * Contract: rejects with a failure at `import`. It protects from faults; code that means harm is what trust is for.
 */
export async function probePlugin(use: string, location: string, timeoutMs: number): Promise<void> {
  const { outcome, printed, ended } = await runProbe(location, timeoutMs);
  const fault = faultOf(outcome, printed, ended, timeoutMs);
  if (fault === undefined) return;
  throw pluginFailure({ use, stage: "import", hint: "Ask its author, or remove it from the configuration.", ...fault });
}

interface ProbeRun {
  readonly outcome: Outcome | undefined;
  readonly printed: string;
  /** How it ended, when it did not report. */
  readonly ended: { readonly late: boolean; readonly code: number | null };
}

function runProbe(location: string, timeoutMs: number): Promise<ProbeRun> {
  return new Promise((resolve, reject) => {
    const child = fork(PROBE, [location], { stdio: ["ignore", "pipe", "ignore", "ipc"], execArgv: [] });
    let outcome: Outcome | undefined;
    let printed = "";
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.stdout?.on("data", (chunk: Buffer) => {
      if (printed.length < KEEP_OUTPUT) printed += chunk.toString();
    });
    child.on("message", (message) => {
      outcome = JSON.parse(message as string) as Outcome;
      // It said what it had to say; what it left running must not keep it.
      child.once("disconnect", () => child.kill("SIGKILL"));
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ outcome, printed, ended: { late, code } });
    });
  });
}

function faultOf(
  outcome: Outcome | undefined,
  printed: string,
  { late, code }: ProbeRun["ended"],
  timeoutMs: number,
): { readonly what: string; readonly code?: "timeout" } | undefined {
  if (outcome === undefined) {
    if (late) return { what: `it did not finish within ${timeoutMs} ms`, code: "timeout" };
    // What Node says of a top-level await that nothing can settle.
    if (code === 13) return { what: "it waits for something that never comes", code: "timeout" };
    return { what: `it ended the process (exit code ${code})` };
  }
  if (outcome.error !== undefined) return { what: `it could not be imported: ${outcome.error}` };
  const [added] = outcome.added ?? [];
  if (added !== undefined) return { what: `it changes what all code shares (${added})` };
  if (printed !== "") return { what: `it prints to standard output (${JSON.stringify(printed.slice(0, 40))})` };
  const [left] = outcome.left ?? [];
  if (left !== undefined) return { what: `it leaves something running (${left})` };
  return undefined;
}
