import { type Choice, choicePrompt, keyOf, notAKey } from "../../choice.ts";
import { escapeText } from "../../terminal.ts";
import {
  type ChatScreen,
  createQuestionQueue,
  createSubmissions,
  type ScreenEvents,
  typedText,
} from "./chat-screen.ts";
import { applyKey, nameOf } from "./edit-keys.ts";
import { createInputHistory } from "./history.ts";
import { type Layout, layoutInput } from "./layout-input.ts";
import { bufferOf, EMPTY, insert, type LineBuffer, vertical } from "./line-buffer.ts";
import { createPainter } from "./painter.ts";
import { type Key, type KeyInput, readKeys } from "./read-keys.ts";
import { createStyle } from "./style.ts";
import { createSuggestions } from "./suggestions.ts";
import { cutToWidth, widthOf } from "./text-width.ts";

export interface RichScreenOptions {
  readonly input: KeyInput;
  readonly output: NodeJS.WriteStream;
  readonly colours: boolean;
  readonly events: ScreenEvents;
}

const PROMPT = "> ";
const LONG_PROMPT = "? ";
const MOST_ROWS = 10;
const LEAST_COLUMNS = 20;

interface Question {
  readonly text: string;
  /** What was being typed when it came, given back when it is gone. */
  kept: LineBuffer;
  /** Its keys, when one of them answers it. */
  readonly choice?: Choice;
  /** Whether keys still go to what was being typed, until Enter sends it or Escape leaves it. */
  typing?: boolean;
  /** Said of the last key, which was none of its own. */
  hint?: string;
  answer(text: string | undefined): void;
}

const STILL_TYPING = "(Esc, then a key answers)";

/** A terminal in raw mode: an editor at the bottom, everything else scrolls away above it. */
export function openRichScreen({ input, output, colours, events }: RichScreenOptions): ChatScreen {
  const style = createStyle(colours);
  const write = (text: string): void => void output.write(text);
  const columns = (): number => Math.max(LEAST_COLUMNS, output.columns || 80);
  const painter = createPainter(write, columns);
  const submissions = createSubmissions();
  const history = createInputHistory();
  const suggestions = createSuggestions(events, () => paint());
  let buffer: LineBuffer = EMPTY;
  let live: readonly string[] = [];
  let status = "";
  let question: Question | undefined;
  const inTurn = createQuestionQueue();
  let refusing = false;
  let held: string[] | undefined;

  function paint(): void {
    if (held !== undefined) return;
    const width = columns() - 1;
    const asksLine = question !== undefined && question.choice === undefined;
    const prompt = asksLine ? question?.text : undefined;
    const asked = question?.choice === undefined ? undefined : layoutChoice(question);
    const typed =
      asked !== undefined && question?.typing !== true
        ? { rows: [], row: asked.row - asked.rows.length, column: asked.column }
        : layoutInput(prompt ?? style.bold(PROMPT), buffer, columns(), MOST_ROWS);
    const above = [...live, ...(asked?.rows ?? [])];
    const offered = suggestions.items.map((item, index) => {
      const row = cutToWidth(`  ${escapeText(item)}`, width);
      return index === suggestions.selected ? style.inverse(row) : style.dim(row);
    });
    const below = status === "" || question !== undefined ? [] : [style.dim(cutToWidth(status, width))];
    painter.paint({
      rows: [...above, ...typed.rows, ...offered, ...below],
      row: above.length + typed.row,
      column: typed.column,
    });
  }

  function layoutChoice({ text, typing, hint }: Question): Layout {
    const said = typing === true ? `${text}${STILL_TYPING}` : `${hint === undefined ? "" : `${hint}\n`}${text}`;
    return layoutInput("", { text: said, cursor: said.length }, columns(), MOST_ROWS);
  }

  function change(next: LineBuffer): void {
    buffer = next;
    if (question === undefined) suggestions.look(buffer);
    paint();
  }

  function settle(answer: string | undefined): void {
    const asked = question;
    if (asked === undefined) return;
    question = undefined;
    if (asked.typing !== true) buffer = asked.kept;
    const { choice } = asked;
    if (choice === undefined) painter.print(`${asked.text}${escapeText(answer ?? "")}`);
    else if (answer !== undefined) painter.print(`${escapeText(choice.question)} ${answer} (${choice.keys[answer]})`);
    paint();
    asked.answer(answer);
  }

  /** Takes a question away that nobody answered. */
  function withdraw(asked: Question): void {
    if (question !== asked) return;
    question = undefined;
    if (asked.typing !== true) buffer = asked.kept;
    paint();
    asked.answer(undefined);
  }

  function open(next: Omit<Question, "answer" | "kept">, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (refusing || signal?.aborted === true) return Promise.resolve(undefined);
    suggestions.close();
    return new Promise((resolve) => {
      const onAbort = (): void => withdraw(asked);
      const asked: Question = {
        ...next,
        kept: buffer,
        answer(text) {
          signal?.removeEventListener("abort", onAbort);
          resolve(text);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      question = asked;
      if (asked.typing === true) paint();
      else change(EMPTY);
    });
  }

  /** A key while a question with keys is open. */
  function answerByKey(asked: Question, choice: Choice, key: Key): void {
    const name = nameOf(key);
    if (name === "ctrl+c" || name === "ctrl+d" || name === "ctrl+l") return actions[name]?.();
    const answer = key.name === "paste" || key.text.length !== 1 ? undefined : keyOf(key.text, choice);
    if (answer !== undefined) return settle(answer);
    asked.hint = notAKey(key.name === "paste" ? "" : key.text, choice);
    paint();
  }

  function submit(): void {
    if (question !== undefined && question.typing !== true) return settle(buffer.text);
    const { text, cursor } = buffer;
    if (text.endsWith("\\") && cursor === text.length) return change(bufferOf(`${text.slice(0, -1)}\n`));
    if (text.trim() === "") return;
    history.add(text);
    suggestions.close();
    painter.print(
      layoutInput(style.bold(PROMPT), { text, cursor: 0 }, columns(), Number.MAX_SAFE_INTEGER).rows.join("\n"),
    );
    if (question !== undefined) {
      question.kept = EMPTY;
      question.typing = false;
    }
    change(EMPTY);
    submissions.push(typedText(text));
  }

  function interrupt(): void {
    if (question !== undefined) {
      settle(question.choice === undefined ? "" : undefined);
      return events.onInterrupt();
    }
    if (buffer.text === "") return events.onInterrupt();
    suggestions.close();
    change(EMPTY);
  }

  function upOrDown(direction: "up" | "down"): void {
    if (suggestions.items.length > 0) return suggestions.move(direction === "up" ? -1 : 1);
    const moved = vertical(buffer, direction);
    if (moved !== undefined) return change(moved);
    const text = direction === "up" ? history.older(buffer.text) : history.newer();
    if (text !== undefined && question === undefined) change(bufferOf(text));
  }

  const browse = (mark: string): void => {
    const spaced = buffer.cursor > 0 && !/\s/.test(buffer.text[buffer.cursor - 1] ?? "") ? ` ${mark}` : mark;
    change(insert(buffer, spaced));
  };

  const actions: Readonly<Record<string, () => void>> = {
    return: () => {
      const accepted = suggestions.items.length > 0 ? suggestions.accept(buffer) : undefined;
      if (accepted === undefined) submit();
      else change(accepted);
    },
    tab: () => {
      const accepted = suggestions.accept(buffer);
      if (accepted !== undefined) change(accepted);
    },
    escape: () => {
      if (question?.typing !== true) return suggestions.close();
      question.kept = buffer;
      question.typing = false;
      change(EMPTY);
    },
    up: () => upOrDown("up"),
    down: () => upOrDown("down"),
    "ctrl+c": interrupt,
    "ctrl+d": () => {
      if (question !== undefined) settle(question.choice === undefined ? "" : undefined);
      else if (buffer.text === "") submissions.push(undefined);
      else change(applyKey(buffer, { name: "delete", ctrl: false, meta: false, text: "" }) ?? buffer);
    },
    "ctrl+f": () => browse("@"),
    "ctrl+a": () => browse("@@"),
    "ctrl+o": () => events.onUnfold(),
    "ctrl+l": () => {
      write("\u001b[2J\u001b[H");
      paint();
    },
  };

  function onKey(key: Key): void {
    if (question?.choice !== undefined && question.typing !== true) return answerByKey(question, question.choice, key);
    const act = actions[nameOf(key)];
    if (act !== undefined && !(question !== undefined && /^ctrl\+[fao]$/.test(nameOf(key)))) return act();
    const next = applyKey(buffer, key);
    if (next !== undefined) change(next);
  }

  let keys = readKeys(input, write, onKey);
  output.on("resize", paint);
  paint();
  return {
    colours,
    lively: true,
    get columns() {
      return columns();
    },
    print: (text) => void (held === undefined ? painter.print(text) : held.push(text)),
    async lend(work) {
      painter.clear();
      keys[Symbol.dispose]();
      held = [];
      try {
        return await work();
      } finally {
        const said = held;
        held = undefined;
        keys = readKeys(input, write, onKey);
        for (const text of said) painter.print(text);
        paint();
      }
    },
    setLive(rows) {
      live = rows;
      paint();
    },
    setStatus(text) {
      status = text;
      paint();
    },
    refresh() {
      if (question === undefined) suggestions.look(buffer);
    },
    next: () => submissions.next(),
    push: (text) => submissions.push(typedText(text)),
    ask: (text, signal) =>
      inTurn(async () => {
        const long = widthOf(text) > columns() / 2;
        if (long && !refusing) painter.print(text);
        return (await open({ text: long ? LONG_PROMPT : text }, signal)) ?? "";
      }),
    choose: (choice, signal) =>
      inTurn(() => open({ text: choicePrompt(choice), choice, typing: buffer.text !== "" }, signal)),
    refuseQuestions: (refuse) => void (refusing = refuse),
    [Symbol.dispose]() {
      output.removeListener("resize", paint);
      painter.clear();
      keys[Symbol.dispose]();
    },
  };
}
