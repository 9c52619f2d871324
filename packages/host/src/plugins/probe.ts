import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { markedCommand, newMark, processTime, sweep } from "@ikigai/core/process";
import type { WantedExport } from "./choose-export.ts";
import type { HeldCode } from "../trust/held-code.ts";
import { type PluginFault, pluginFailure, type PluginStage } from "./plugin-failure.ts";

const PROBE = fileURLToPath(new URL("../../bin/probe-plugin.js", import.meta.url));
const KEEP_OUTPUT = 200;

/** Opens the plugin too, as the host will, and closes it again. */
export interface Trial {
  readonly wanted: WantedExport;
  /** The mount of a source. */
  readonly mount?: string;
  /** The workspace that a part is opened for. */
  readonly root?: string;
  readonly options: unknown;
  /** The export that is meant. Absent: the only one. */
  readonly exportName?: string;
  /** Milliseconds that opening may take. */
  readonly timeoutMs: number;
}

/** What the probe says after it imported the plugin, and again after it opened and closed it. */
interface Outcome {
  readonly error?: string;
  readonly opened?: true;
  readonly added?: readonly string[];
  readonly left?: readonly string[];
  readonly done?: true;
}

/**
 * Imports a plugin in a process of its own first, and opens and closes it there, so that one which exits, hangs, prints,
 * leaves something running or changes what all code shares harms nobody.
 *
 * Contract: rejects with a failure at `import` or `open`. One that cannot be opened for another reason is left to the
 * host, which says why. It protects from faults; code that means harm is what trust is for.
 */
export async function probePlugin(
  use: string,
  location: string,
  timeoutMs: number,
  trial?: Trial,
  held?: HeldCode,
): Promise<void> {
  const ran = await runProbe(location, timeoutMs, trial, held);
  const fault = faultOf(ran);
  if (fault === undefined) return;
  throw pluginFailure({ use, hint: "Ask its author, or remove it from the configuration.", ...fault });
}

interface ProbeRun {
  readonly outcomes: readonly Outcome[];
  /** Output of the plugin at each stage. */
  readonly printed: Readonly<Record<"import" | "open", string>>;
  /** Exit code of the probe, and how late it was. */
  readonly ended: { readonly lateMs: number | undefined; readonly code: number | null };
}

function runProbe(
  location: string,
  timeoutMs: number,
  trial: Trial | undefined,
  held: HeldCode | undefined,
): Promise<ProbeRun> {
  return new Promise((resolve, reject) => {
    const mark = newMark();
    const since = processTime();
    const [file, args] = markedCommand(mark, process.execPath, [PROBE, location]);
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "ignore", "ipc"] });
    // Options may hold passwords, and everybody on the machine can read the arguments of a process.
    child.send(JSON.stringify({ trial: trial && { ...trial, options: trial.options ?? {} }, held }), () => {});
    const outcomes: Outcome[] = [];
    const printed = { import: "", open: "" };
    let lateMs: number | undefined;
    const giveUpAfter = (ms: number): NodeJS.Timeout =>
      setTimeout(() => {
        lateMs = ms;
        child.kill("SIGKILL");
      }, ms);
    let timer = giveUpAfter(timeoutMs);
    child.stdout?.on("data", (chunk: Buffer) => {
      const stage = outcomes.length === 0 ? "import" : "open";
      if (printed[stage].length < KEEP_OUTPUT) printed[stage] += chunk.toString();
    });
    child.on("message", (message) => {
      outcomes.push(JSON.parse(message as string) as Outcome);
      clearTimeout(timer);
      timer = giveUpAfter(trial?.timeoutMs ?? timeoutMs);
      // The probe has reported everything; work that the plugin left running must not keep it alive.
      if (outcomes.at(-1)?.done === true) child.once("disconnect", () => child.kill("SIGKILL"));
    });
    child.on("error", reject);
    // Processes that the plugin started may hold the output open, and must not survive the probe.
    let ending: Promise<unknown> | undefined;
    const endRest = (): Promise<unknown> =>
      (ending ??= sweep({ ...(mark !== undefined && { marks: [mark] }), since }, { graceMs: 0 }));
    child.on("exit", () => void endRest());
    child.on("close", (code) => {
      clearTimeout(timer);
      void endRest().then(() => resolve({ outcomes, printed, ended: { lateMs, code } }));
    });
  });
}

type Fault = Pick<PluginFault, "what" | "code"> & { readonly stage: PluginStage };

function faultOf({ outcomes, printed, ended }: ProbeRun): Fault | undefined {
  const [imported, opened] = outcomes;
  if (imported === undefined || imported.done === true) return { stage: "import", ...endOf(ended) };
  if (imported.error !== undefined) return { stage: "import", what: `it could not be imported: ${imported.error}` };
  const wrong = misdeedOf(imported, printed.import);
  if (wrong !== undefined) return { stage: "import", what: wrong };
  if (opened === undefined) return { stage: "open", ...endOf(ended) };
  const wrongAtOpen = misdeedOf(opened, printed.open);
  return wrongAtOpen === undefined ? undefined : { stage: "open", what: wrongAtOpen };
}

function endOf({ lateMs, code }: ProbeRun["ended"]): Pick<Fault, "what" | "code"> {
  if (lateMs !== undefined) return { what: `it did not finish within ${lateMs} ms`, code: "timeout" };
  // Exit code 13: a top-level await that nothing can settle.
  if (code === 13) return { what: "it waits for something that never comes", code: "timeout" };
  return { what: `it ended the process (exit code ${code})` };
}

function misdeedOf({ added = [], left = [] }: Outcome, printed: string): string | undefined {
  if (added[0] !== undefined) return `it changes what all code shares (${added[0]})`;
  if (printed !== "") return `it prints to standard output (${JSON.stringify(printed.slice(0, 40))})`;
  return left[0] === undefined ? undefined : `it leaves something running (${left[0]})`;
}
