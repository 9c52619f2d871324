import { type Choice, choicePrompt, keyOf, notAKey } from "../text/choice.ts";
import { escapeText } from "../text/escape-text.ts";
import {
  type ChatScreen,
  createQuestionQueue,
  createSubmissions,
  type ScreenEvents,
  type Submission,
  typedText,
} from "./chat-screen.ts";
import { LONGEST_PASTE } from "../keys/decode-keys.ts";
import { createKeyEditor, nameOf } from "../keys/edit-keys.ts";
import { createInputHistory } from "../line/input-history.ts";
import { createKeyHold } from "../keys/hold-keys.ts";
import { type Layout, layoutInput } from "../line/layout-input.ts";
import { bufferOf, EMPTY, insert, type LineBuffer, vertical } from "../line/line-buffer.ts";
import { createPainter } from "./painter.ts";
import { createPastes } from "../line/pastes.ts";
import type { Key, KeyInput } from "../keys/read-keys.ts";
import { type HistorySearch, searchHistory } from "../line/search-history.ts";
import { createStyle } from "../text/style.ts";
import { createSuggestions } from "./suggestions.ts";
import { openTerminalSession } from "./terminal-session.ts";
import { cutToWidth, widthOf } from "../text/text-width.ts";

export interface RichScreenOptions {
  readonly input: KeyInput;
  readonly output: NodeJS.WriteStream;
  readonly colours: boolean;
  readonly events: ScreenEvents;
  /** What was sent in earlier sessions. Absent: nothing, and nothing is kept. */
  readonly history?: KeptHistory;
  /** Lets a person change a text in an editor of their own. Absent: they cannot. */
  readonly edit?: (text: string) => Promise<string>;
}

/** Where what was sent is kept between sessions. */
export interface KeptHistory {
  /** The oldest first. Contract: never rejects. */
  load(): Promise<readonly Submission[]>;
  add(sent: Submission): void;
}

const PROMPT = "> ";
const LONG_PROMPT = "? ";
const MOST_ROWS = 10;
/** Rows of a message that are shown once it is sent. */
const MOST_SENT_ROWS = 40;
/** Keys that do not mean a question. */
const NOT_IN_QUESTIONS: ReadonlySet<string> = new Set(["ctrl+f", "ctrl+t", "ctrl+o", "ctrl+r", "ctrl+g", "ctrl+x"]);
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

const TAKES_A_NAME: ReadonlySet<string> = new Set(["tab", "return"]);
const STILL_TYPING = "(Esc, then a key answers)";

/** A terminal in raw mode: an editor at the bottom, everything else scrolls away above it. */
export function openRichScreen(options: RichScreenOptions): ChatScreen {
  const { input, output, colours, events } = options;
  const style = createStyle(colours);
  const write = (text: string): void => void output.write(text);
  const columns = (): number => Math.max(LEAST_COLUMNS, output.columns || 80);
  const painter = createPainter(write, () => ({ columns: columns(), rows: output.rows || 24 }));
  const submissions = createSubmissions();
  const pastes = createPastes();
  const editor = createKeyEditor();
  const history = createInputHistory([], pastes.describe);
  void options.history?.load().then((texts) => history.prepend(texts.map(pastes.restore)));
  const suggestions = createSuggestions(events, () => paint());
  let buffer: LineBuffer = EMPTY;
  let live: readonly string[] = [];
  let status = "";
  let question: Question | undefined;
  const inTurn = createQuestionQueue();
  let refusing = false;
  let search: HistorySearch | undefined;
  let isAfterCtrlX = false;

  function paint(): void {
    if (session.isHeld()) return;
    const width = columns() - 1;
    const asksLine = question !== undefined && question.choice === undefined;
    const prompt = asksLine ? question?.text : search?.prompt;
    const asked = question?.choice === undefined ? undefined : layoutChoice(question);
    const typed =
      asked !== undefined && question?.typing !== true
        ? { rows: [], row: asked.row - asked.rows.length, column: asked.column }
        : layoutInput(prompt ?? style.bold(PROMPT), search?.buffer ?? buffer, columns(), MOST_ROWS, pastes.shown);
    const above = [...live, ...queuedRows(width), ...(asked?.rows ?? [])];
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

  /** What was sent during a turn and waits for its end. */
  function queuedRows(width: number): string[] {
    const { queued } = submissions;
    return queued.map((sent, index) => {
      const how = index === queued.length - 1 ? " (↑ takes it back)" : "";
      const line = cutToWidth(`queued: ${escapeText(pastes.describe(pastes.restore(sent)))}`, width - how.length);
      return style.dim(`${line}${how}`);
    });
  }

  /** Leaves what is sent now in the lines that stay. */
  function echo(text: string): void {
    const { rows } = layoutInput(style.bold(PROMPT), { text, cursor: 0 }, columns(), MOST_SENT_ROWS + 1, pastes.shown);
    const rest = rows.length > MOST_SENT_ROWS ? [style.dim("  … the rest is sent and not shown")] : [];
    session.print([...rows.slice(0, MOST_SENT_ROWS), ...rest].join("\n"));
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
    if (choice === undefined) session.print(`${asked.text}${escapeText(answer ?? "")}`);
    else if (answer !== undefined) session.print(`${escapeText(choice.question)} ${answer} (${choice.keys[answer]})`);
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
    search = undefined;
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
    if (name === "escape") {
      settle(undefined);
      return events.onEscape?.();
    }
    if (/^ctrl\+[cdlz]$/.test(name)) return actions[name]?.();
    const answer = key.name === "paste" || key.text.length !== 1 ? undefined : keyOf(key.text, choice);
    if (answer !== undefined) return settle(answer);
    asked.hint = notAKey(key.name === "paste" ? "" : key.text, choice);
    paint();
  }

  function submit(): void {
    if (question !== undefined && question.typing !== true) return settle(pastes.unfold(buffer.text).text);
    const { text, cursor } = buffer;
    if (text.endsWith("\\") && cursor === text.length) return change(bufferOf(`${text.slice(0, -1)}\n`));
    if (text.trim() === "") return;
    const sent = pastes.unfold(text);
    history.add(text);
    options.history?.add(sent);
    suggestions.close();
    if (submissions.push(sent)) echo(text);
    if (question !== undefined) {
      question.kept = EMPTY;
      question.typing = false;
    }
    change(EMPTY);
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
    const back = direction === "up" && buffer.text === "" ? submissions.takeBack() : undefined;
    if (back !== undefined) return change(bufferOf(pastes.restore(back)));
    const text = direction === "up" ? history.older(buffer.text) : history.newer();
    if (text !== undefined && question === undefined) change(bufferOf(text));
  }

  async function editOutside(): Promise<void> {
    const { edit } = options;
    if (edit === undefined || question !== undefined) return;
    const before = buffer.text;
    try {
      const edited = await session.lend(() => edit(pastes.unfold(before).text));
      change(bufferOf(pastes.refold(edited.replace(/\n$/, ""), before)));
    } catch (error) {
      const { message, hint } = error as { message: string; hint?: string };
      session.print(style.red(escapeText(hint === undefined ? message : `${message}. ${hint}`)));
    }
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
      if (suggestions.items.length > 0) return suggestions.close();
      if (question?.typing !== true) return events.onEscape?.();
      question.kept = buffer;
      question.typing = false;
      change(EMPTY);
    },
    up: () => upOrDown("up"),
    down: () => upOrDown("down"),
    "ctrl+p": () => upOrDown("up"),
    "ctrl+n": () => upOrDown("down"),
    "shift+tab": () => {
      if (suggestions.items.length > 0) suggestions.move(-1);
    },
    "ctrl+r": () => {
      suggestions.close();
      search = searchHistory(history, buffer);
      paint();
    },
    "ctrl+g": () => void editOutside(),
    "ctrl+x": () => void (isAfterCtrlX = true),
    "ctrl+z": () => session.suspend(),
    "ctrl+c": interrupt,
    "ctrl+d": () => {
      if (question !== undefined) settle(question.choice === undefined ? "" : undefined);
      else if (buffer.text === "") submissions.push(undefined);
      else change(editor.apply(buffer, { name: "delete", ctrl: false, meta: false, text: "" }) ?? buffer);
    },
    "ctrl+f": () => browse("@"),
    "ctrl+t": () => browse("@@"),
    "ctrl+o": () => events.onUnfold(),
    "ctrl+l": () => {
      write("\u001b[2J\u001b[H");
      paint();
    },
  };

  /** A key while the search through what was sent is open. Contract: false when the key has still to be obeyed. */
  function searchByKey(open: HistorySearch, key: Key): boolean {
    const ended = open.press(key);
    if (ended === "going") {
      paint();
      return true;
    }
    search = undefined;
    change(open.buffer);
    return ended !== "again";
  }

  function takePaste({ text, isCut }: Key): void {
    change(insert(buffer, pastes.fold(text)));
    if (isCut === true)
      session.print(style.yellow(`The paste was cut after ${LONGEST_PASTE.toLocaleString("en")} characters.`));
  }

  const held = createKeyHold({
    searching: () => suggestions.searching,
    takesName: (key) => question === undefined && search === undefined && TAKES_A_NAME.has(nameOf(key)),
    obey,
  });

  function onKey(key: Key): void {
    if (nameOf(key) === "ctrl+c") held.drop();
    held.press(key);
  }

  function obey(key: Key): void {
    if (question?.choice !== undefined && question.typing !== true) return answerByKey(question, question.choice, key);
    if (search !== undefined && searchByKey(search, key)) return;
    const name = nameOf(key);
    const edits = isAfterCtrlX && name === "ctrl+e";
    isAfterCtrlX = false;
    if (edits) return void editOutside();
    const act = question !== undefined && NOT_IN_QUESTIONS.has(name) ? undefined : actions[name];
    if (act !== undefined || name === "paste") {
      editor.rest();
      return name === "paste" ? takePaste(key) : act?.();
    }
    const next = editor.apply(buffer, key);
    if (next !== undefined) change(next);
  }

  const session = openTerminalSession({ input, output, painter, write, onKey, repaint: paint });
  paint();
  return {
    colours,
    lively: true,
    get columns() {
      return columns();
    },
    print: session.print,
    lend: session.lend,
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
    next() {
      const [queued] = submissions.queued;
      const next = submissions.next();
      if (queued !== undefined) echo(pastes.restore(queued));
      return next;
    },
    push: (text) => void submissions.push(typedText(text)),
    ask: (text, signal) =>
      inTurn(async () => {
        const long = widthOf(text) > columns() / 2;
        if (long && !refusing) session.print(text);
        return (await open({ text: long ? LONG_PROMPT : text }, signal)) ?? "";
      }),
    choose: (choice, signal) =>
      inTurn(() => open({ text: choicePrompt(choice), choice, typing: buffer.text !== "" }, signal)),
    refuseQuestions: (refuse) => void (refusing = refuse),
    [Symbol.dispose]: () => session[Symbol.dispose](),
  };
}
