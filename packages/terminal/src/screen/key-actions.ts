import { bufferOf, EMPTY, insert, vertical } from "../line/line-buffer.ts";
import { searchHistory } from "../line/search-history.ts";
import { escapeText } from "../text/escape-text.ts";
import type { Submission } from "./chat-screen.ts";
import type { Input } from "./input-state.ts";
import { echoSent } from "./paint-input.ts";
import type { Questions } from "./questions.ts";

export interface KeyActionsOptions {
  readonly questions: Questions;
  /** Keeps what was sent between sessions. */
  keep?(sent: Submission): void;
  /** Lets a person change a text in an editor of their own. Absent: they cannot. */
  readonly edit?: ((text: string) => Promise<string>) | undefined;
  /** Empties what can be seen. */
  clear(): void;
}

/** What keys do that are no part of editing a line, by the name of the key. */
export function createKeyActions(input: Input, options: KeyActionsOptions): Readonly<Record<string, () => void>> {
  const { state, events, suggestions, submissions, editor, session, history } = input;
  const { questions } = options;
  /** Ends the question with what stands for no answer. */
  const leaveQuestion = (): void => questions.settle(state.question?.choice === undefined ? "" : undefined);
  return {
    return: () => {
      const accepted = suggestions.items.length > 0 ? suggestions.accept(state.buffer) : undefined;
      if (accepted === undefined) submit(input, options);
      else input.change(accepted);
    },
    tab: () => {
      const accepted = suggestions.accept(state.buffer);
      if (accepted !== undefined) input.change(accepted);
    },
    escape: () => {
      if (suggestions.items.length > 0) return suggestions.close();
      if (state.question?.typing !== true) return events.onEscape?.();
      state.question.kept = state.buffer;
      state.question.typing = false;
      input.change(EMPTY);
    },
    up: () => upOrDown(input, "up"),
    down: () => upOrDown(input, "down"),
    "ctrl+p": () => upOrDown(input, "up"),
    "ctrl+n": () => upOrDown(input, "down"),
    "shift+tab": () => {
      if (suggestions.items.length > 0) suggestions.move(-1);
    },
    "ctrl+r": () => {
      suggestions.close();
      state.search = searchHistory(history, state.buffer);
      input.paint();
    },
    "ctrl+g": () => void editOutside(input, options),
    "ctrl+x": () => void (state.isAfterCtrlX = true),
    "ctrl+z": () => session.suspend(),
    "ctrl+c": () => {
      if (state.question !== undefined) {
        leaveQuestion();
        return events.onInterrupt();
      }
      if (state.buffer.text === "") return events.onInterrupt();
      suggestions.close();
      input.change(EMPTY);
    },
    "ctrl+d": () => {
      if (state.question !== undefined) leaveQuestion();
      else if (state.buffer.text === "") submissions.push(undefined);
      else
        input.change(
          editor.apply(state.buffer, { name: "delete", ctrl: false, meta: false, text: "" }) ?? state.buffer,
        );
    },
    "ctrl+f": () => browse(input, "@"),
    "ctrl+t": () => browse(input, "@@"),
    "ctrl+o": () => events.onUnfold(),
    "ctrl+l": () => {
      options.clear();
      input.paint();
    },
  };
}

function submit(input: Input, { questions, keep }: KeyActionsOptions): void {
  const { state, pastes, history, suggestions, submissions } = input;
  const { question } = state;
  if (question !== undefined && question.typing !== true)
    return questions.settle(pastes.unfold(state.buffer.text).text);
  const { text, cursor } = state.buffer;
  if (text.endsWith("\\") && cursor === text.length) return input.change(bufferOf(`${text.slice(0, -1)}\n`));
  if (text.trim() === "") return;
  const sent = pastes.unfold(text);
  history.add(text);
  keep?.(sent);
  suggestions.close();
  if (submissions.push(sent)) echoSent(input, text);
  if (question !== undefined) {
    question.kept = EMPTY;
    question.typing = false;
  }
  input.change(EMPTY);
}

function upOrDown(input: Input, direction: "up" | "down"): void {
  const { state, suggestions, submissions, pastes, history } = input;
  if (suggestions.items.length > 0) return suggestions.move(direction === "up" ? -1 : 1);
  const moved = vertical(state.buffer, direction);
  if (moved !== undefined) return input.change(moved);
  const back = direction === "up" && state.buffer.text === "" ? submissions.takeBack() : undefined;
  if (back !== undefined) return input.change(bufferOf(pastes.restore(back)));
  const text = direction === "up" ? history.older(state.buffer.text) : history.newer();
  if (text !== undefined && state.question === undefined) input.change(bufferOf(text));
}

/** Lets the person change what is typed in an editor of their own. */
export async function editOutside(input: Input, { edit }: Pick<KeyActionsOptions, "edit">): Promise<void> {
  const { state, session, pastes, style } = input;
  if (edit === undefined || state.question !== undefined) return;
  const before = state.buffer.text;
  try {
    const edited = await session.lend(() => edit(pastes.unfold(before).text));
    input.change(bufferOf(pastes.refold(edited.replace(/\n$/, ""), before)));
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    session.print(style.red(escapeText(hint === undefined ? message : `${message}. ${hint}`)));
  }
}

/** Opens the finder where the cursor is. */
function browse({ state, change }: Input, mark: string): void {
  const { text, cursor } = state.buffer;
  const spaced = cursor > 0 && !/\s/.test(text[cursor - 1] ?? "") ? ` ${mark}` : mark;
  change(insert(state.buffer, spaced));
}
