import { LONGEST_PASTE } from "../keys/decode-keys.ts";
import { nameOf } from "../keys/edit-keys.ts";
import { createKeyHold } from "../keys/hold-keys.ts";
import type { Key } from "../keys/read-keys.ts";
import { insert } from "../line/line-buffer.ts";
import type { HistorySearch } from "../line/search-history.ts";
import { type Choice, keyOf, notAKey } from "../text/choice.ts";
import type { Input, Question } from "./input-state.ts";
import { createKeyActions, editOutside, type KeyActionsOptions } from "./key-actions.ts";

/** Keys that do not mean a question. */
const NOT_IN_QUESTIONS: ReadonlySet<string> = new Set(["ctrl+f", "ctrl+t", "ctrl+o", "ctrl+r", "ctrl+g", "ctrl+x"]);
const TAKES_A_NAME: ReadonlySet<string> = new Set(["tab", "return"]);

/** Obeys the keys of a person: they answer a question, search through what was sent, act, or edit the line. */
export function obeyKeys(input: Input, options: KeyActionsOptions): (key: Key) => void {
  const { state, editor, suggestions, session, pastes, style } = input;
  const actions = createKeyActions(input, options);

  /** A key while a question with keys is open. */
  function answerByKey(asked: Question, choice: Choice, key: Key): void {
    const name = nameOf(key);
    if (name === "escape") {
      options.questions.settle(undefined);
      return input.events.onEscape?.();
    }
    if (/^ctrl\+[cdlz]$/.test(name)) return actions[name]?.();
    const answer = key.name === "paste" || key.text.length !== 1 ? undefined : keyOf(key.text, choice);
    if (answer !== undefined) return options.questions.settle(answer);
    asked.hint = notAKey(key.name === "paste" ? "" : key.text, choice);
    input.paint();
  }

  /** A key while the search through what was sent is open. Contract: false when the key has still to be obeyed. */
  function searchByKey(open: HistorySearch, key: Key): boolean {
    const ended = open.press(key);
    if (ended === "going") {
      input.paint();
      return true;
    }
    state.search = undefined;
    input.change(open.buffer);
    return ended !== "again";
  }

  function takePaste({ text, isCut }: Key): void {
    input.change(insert(state.buffer, pastes.fold(text)));
    if (isCut === true)
      session.print(style.yellow(`The paste was cut after ${LONGEST_PASTE.toLocaleString("en")} characters.`));
  }

  function obey(key: Key): void {
    const { question, search } = state;
    if (question?.choice !== undefined && question.typing !== true) return answerByKey(question, question.choice, key);
    if (search !== undefined && searchByKey(search, key)) return;
    const name = nameOf(key);
    const edits = state.isAfterCtrlX && name === "ctrl+e";
    state.isAfterCtrlX = false;
    if (edits) return void editOutside(input, options);
    const act = state.question !== undefined && NOT_IN_QUESTIONS.has(name) ? undefined : actions[name];
    if (act !== undefined || name === "paste") {
      editor.rest();
      return name === "paste" ? takePaste(key) : act?.();
    }
    const next = editor.apply(state.buffer, key);
    if (next !== undefined) input.change(next);
  }

  const held = createKeyHold({
    searching: () => suggestions.searching,
    takesName: (key) => state.question === undefined && state.search === undefined && TAKES_A_NAME.has(nameOf(key)),
    obey,
  });
  return (key) => {
    if (nameOf(key) === "ctrl+c") held.drop();
    held.press(key);
  };
}
