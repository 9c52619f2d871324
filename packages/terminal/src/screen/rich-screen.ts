import { createKeyEditor } from "../keys/edit-keys.ts";
import type { Key, KeyInput } from "../keys/read-keys.ts";
import { createInputHistory } from "../line/input-history.ts";
import { EMPTY } from "../line/line-buffer.ts";
import { createPastes } from "../line/pastes.ts";
import { choicePrompt } from "../text/choice.ts";
import { createStyle } from "../text/style.ts";
import { widthOf } from "../text/text-width.ts";
import { type ChatScreen, createSubmissions, type ScreenEvents, type Submission, typedText } from "./chat-screen.ts";
import type { Input, InputState } from "./input-state.ts";
import { obeyKeys } from "./obey-keys.ts";
import { createPainter } from "./painter.ts";
import { echoSent, paintInput } from "./paint-input.ts";
import { createQuestions, type Questions } from "./questions.ts";
import { createSuggestions } from "./suggestions.ts";
import { openTerminalSession } from "./terminal-session.ts";

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

const LONG_PROMPT = "? ";
const LEAST_COLUMNS = 20;

/** A terminal in raw mode: an editor at the bottom, everything else scrolls away above it. */
export function openRichScreen(options: RichScreenOptions): ChatScreen {
  const input = openInput(options, (key) => obey(key));
  const questions = createQuestions(input);
  const { history: kept } = options;
  const obey = obeyKeys(input, {
    questions,
    edit: options.edit,
    ...(kept !== undefined && { keep: (sent: Submission) => kept.add(sent) }),
    clear: () => void options.output.write("\u001b[2J\u001b[H"),
  });
  input.paint();
  return toScreen(input, questions, options.colours);
}

/** The input with everything that it is made of, and the terminal that it is shown in. */
function openInput(
  { input, output, colours, events, history: kept }: RichScreenOptions,
  onKey: (key: Key) => void,
): Input {
  const write = (text: string): void => void output.write(text);
  const columns = (): number => Math.max(LEAST_COLUMNS, output.columns || 80);
  const painter = createPainter(write, () => ({ columns: columns(), rows: output.rows || 24 }));
  const pastes = createPastes();
  const history = createInputHistory([], pastes.describe);
  void kept?.load().then((texts) => history.prepend(texts.map(pastes.restore)));
  const state: InputState = {
    buffer: EMPTY,
    live: [],
    status: "",
    question: undefined,
    refusing: false,
    search: undefined,
    isAfterCtrlX: false,
  };
  const suggestions = createSuggestions(events, () => paint());
  const parts = {
    state,
    style: createStyle(colours),
    events,
    submissions: createSubmissions(),
    pastes,
    editor: createKeyEditor(),
    history,
    suggestions,
    columns,
  };
  const change: Input["change"] = (next) => {
    state.buffer = next;
    if (state.question === undefined) suggestions.look(next);
    paint();
  };
  function paint(): void {
    if (!session.isHeld()) paintInput({ ...parts, paint, change }, painter);
  }
  const session = openTerminalSession({ input, output, painter, write, onKey, repaint: paint });
  return { ...parts, session, paint, change };
}

function toScreen(input: Input, questions: Questions, colours: boolean): ChatScreen {
  const { state, session, submissions, suggestions, pastes, columns, paint } = input;
  return {
    colours,
    lively: true,
    get columns() {
      return columns();
    },
    print: session.print,
    lend: session.lend,
    setLive(rows) {
      state.live = rows;
      paint();
    },
    setStatus(text) {
      state.status = text;
      paint();
    },
    refresh() {
      if (state.question === undefined) suggestions.look(state.buffer);
    },
    next() {
      const [queued] = submissions.queued;
      const next = submissions.next();
      if (queued !== undefined) echoSent(input, pastes.restore(queued));
      return next;
    },
    push: (text) => void submissions.push(typedText(text)),
    async ask(text, signal) {
      const asked = await questions.ask(() => {
        const long = widthOf(text) > columns() / 2;
        if (long && !state.refusing) session.print(text);
        return { text: long ? LONG_PROMPT : text };
      }, signal);
      return asked ?? "";
    },
    choose: (choice, signal) =>
      questions.ask(() => ({ text: choicePrompt(choice), choice, typing: state.buffer.text !== "" }), signal),
    refuseQuestions: (refuse) => void (state.refusing = refuse),
    [Symbol.dispose]: () => session[Symbol.dispose](),
  };
}
