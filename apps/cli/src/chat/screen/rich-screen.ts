import { escapeText } from "../../terminal.ts";
import { type ChatScreen, createSubmissions, type ScreenEvents } from "./chat-screen.ts";
import { applyKey, nameOf } from "./edit-keys.ts";
import { createInputHistory } from "./history.ts";
import { layoutInput } from "./layout-input.ts";
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
  let question: { readonly text: string; readonly kept: LineBuffer; answer(text: string): void } | undefined;
  let refusing = false;
  let held: string[] | undefined;

  function paint(): void {
    if (held !== undefined) return;
    const width = columns() - 1;
    const prompt = question?.text ?? PROMPT;
    const typed = layoutInput(question === undefined ? style.bold(PROMPT) : prompt, buffer, columns(), MOST_ROWS);
    const offered = suggestions.items.map((item, index) => {
      const row = cutToWidth(`  ${escapeText(item)}`, width);
      return index === suggestions.selected ? style.inverse(row) : style.dim(row);
    });
    const below = status === "" || question !== undefined ? [] : [style.dim(cutToWidth(status, width))];
    painter.paint({
      rows: [...live, ...typed.rows, ...offered, ...below],
      row: live.length + typed.row,
      column: typed.column,
    });
  }

  function change(next: LineBuffer): void {
    buffer = next;
    if (question === undefined) suggestions.look(buffer);
    paint();
  }

  function settle(answer: string): void {
    const asked = question;
    if (asked === undefined) return;
    question = undefined;
    buffer = asked.kept;
    painter.print(`${asked.text}${escapeText(answer)}`);
    paint();
    asked.answer(answer);
  }

  function submit(): void {
    if (question !== undefined) return settle(buffer.text);
    const { text, cursor } = buffer;
    if (text.endsWith("\\") && cursor === text.length) return change(bufferOf(`${text.slice(0, -1)}\n`));
    if (text.trim() === "") return;
    history.add(text);
    suggestions.close();
    painter.print(
      layoutInput(style.bold(PROMPT), { text, cursor: 0 }, columns(), Number.MAX_SAFE_INTEGER).rows.join("\n"),
    );
    change(EMPTY);
    submissions.push(text);
  }

  function interrupt(): void {
    if (question !== undefined) {
      settle("");
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
    escape: () => suggestions.close(),
    up: () => upOrDown("up"),
    down: () => upOrDown("down"),
    "ctrl+c": interrupt,
    "ctrl+d": () => {
      if (question !== undefined) settle("");
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
    push: (text) => submissions.push(text),
    ask(text) {
      if (refusing) return Promise.resolve("");
      suggestions.close();
      const long = widthOf(text) > columns() / 2;
      if (long) painter.print(text);
      return new Promise((answer) => {
        question = { text: long ? LONG_PROMPT : text, kept: buffer, answer };
        change(EMPTY);
      });
    },
    refuseQuestions: (refuse) => void (refusing = refuse),
    [Symbol.dispose]() {
      output.removeListener("resize", paint);
      painter.clear();
      keys[Symbol.dispose]();
    },
  };
}
