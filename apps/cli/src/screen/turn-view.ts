import type { CallPart, TurnListener, TurnOutcome } from "@ikigai/agent";
import type { Envelope } from "@ikigai/core";
import { cutToWidth, escapeText, type Style, wrapProse } from "@ikigai/terminal";
import { type ChatScreen, createMarkdownLines, layoutInput } from "@ikigai/terminal/screen";
import { describeEmptyAnswer } from "@ikigai/host/agent";
import { describeCall, editDiff, resultLines } from "./show-result.ts";

/** Shows one turn as it happens. */
export interface TurnView extends TurnListener, Disposable {
  /** Says how it ended. */
  end(outcome: TurnOutcome): void;
  /** The last result in full, if there was one. */
  readonly lastResult: readonly string[];
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const FOLDED = 3;
const PENDING_ROWS = 4;

export function createTurnView(
  screen: ChatScreen,
  style: Style,
  now: () => number = () => performance.now(),
): TurnView {
  const markdown = createMarkdownLines(style, () => screen.columns);
  const running = new Map<string, { readonly call: CallPart; readonly since: number; progress: string }>();
  let lastResult: readonly string[] = [];
  let frame = 0;
  let waiting = true;

  function showLive(): void {
    const width = screen.columns - 2;
    const spinner = style.cyan(FRAMES[frame % FRAMES.length] ?? "");
    const { pending } = markdown;
    const calls = [...running.values()].map(({ call, since, progress }) => {
      const said = progress === "" ? "" : ` · ${escapeText(progress.replaceAll(/\s+/g, " "))}`;
      return `${spinner} ${cutToWidth(`${describeCall(call, width)} ${seconds(now() - since)}${said}`, width - 2)}`;
    });
    const idle =
      waiting && pending === "" && calls.length === 0 ? [`${spinner} ${style.dim("thinking (Esc stops)")}`] : [];
    screen.setLive([...pendingRows(pending, screen.columns), ...calls, ...idle]);
  }

  const timer = screen.lively
    ? setInterval(() => {
        frame++;
        showLive();
      }, FRAME_MS)
    : undefined;
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) screen.print(lines.join("\n"));
  };

  function showResult(call: CallPart, envelope: Envelope): void {
    const began = running.get(call.id);
    running.delete(call.id);
    const lines = resultLines(envelope);
    lastResult = lines;
    const took = began === undefined ? "" : ` ${style.dim(seconds(now() - began.since))}`;
    print(resultRows(call, envelope, { lines, took, screen, style }));
    showLive();
  }

  showLive();
  return {
    onText(delta) {
      print(markdown.push(delta));
      showLive();
    },
    onRestart(reason) {
      print(markdown.flush());
      print([style.yellow(`— ${escapeText(reason)} —`)]);
      showLive();
    },
    onReply() {
      print(markdown.flush());
      waiting = true;
      showLive();
    },
    onCall(call) {
      running.set(call.id, { call, since: now(), progress: "" });
      if (!screen.lively) screen.print(`… ${describeCall(call, screen.columns - 4)}`);
      showLive();
    },
    onProgress(call, message) {
      const known = running.get(call.id);
      if (known !== undefined) known.progress = message;
      showLive();
    },
    onResult: showResult,
    end(outcome) {
      print(markdown.flush());
      print(endRows(outcome, screen, style));
    },
    get lastResult() {
      return lastResult;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      waiting = false;
      screen.setLive([]);
    },
  };
}

/** The text that has no whole line yet. */
function pendingRows(pending: string, columns: number): readonly string[] {
  if (pending === "") return [];
  return layoutInput("", { text: pending, cursor: pending.length }, columns, PENDING_ROWS).rows;
}

interface ShownResult {
  /** The whole result. */
  readonly lines: readonly string[];
  /** How long the call took, for behind its name. */
  readonly took: string;
  readonly screen: ChatScreen;
  readonly style: Style;
}

/** A call that ended, with what it changed or the first lines of its result. */
function resultRows(call: CallPart, envelope: Envelope, { lines, took, screen, style }: ShownResult): string[] {
  const mark = envelope.success ? style.green("✓") : style.red("✗");
  const diff = envelope.success ? editDiff(call, screen.colours) : undefined;
  const body =
    diff === undefined ? lines.map((line) => style.dim(cutToWidth(line, screen.columns - 6))) : diff.split("\n");
  const shown = diff === undefined ? body.slice(0, FOLDED) : body;
  const hidden = body.length - shown.length;
  const rest = `  └ ${hidden} more ${hidden === 1 ? "line" : "lines"}${screen.lively ? " (Ctrl-O shows them)" : ""}`;
  return [
    `${mark} ${describeCall(call, screen.columns - 12)}${took}`,
    ...shown.map((line) => `  ${style.dim("│")} ${line}`),
    ...(hidden > 0 ? [style.dim(rest)] : []),
  ];
}

/** How a turn ended, where that is not plain from its answer. */
function endRows({ status, error, steps, empty }: TurnOutcome, screen: ChatScreen, style: Style): string[] {
  const prose = (text: string): string => wrapProse(escapeText(text), screen.columns);
  const rows: string[] = [];
  if (empty !== undefined && status === "done") rows.push(style.yellow(prose(describeEmptyAnswer(empty))));
  if (status === "aborted") rows.push(style.yellow("Stopped."));
  else if (error !== undefined) {
    rows.push(style.red(prose(error.message)), ...(error.hint === undefined ? [] : [style.dim(prose(error.hint))]));
  }
  if (status === "steps_used_up") rows.push(style.dim(`${steps} requests were made; say "go on" to continue.`));
  return rows;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
