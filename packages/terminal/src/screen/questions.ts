import { EMPTY } from "../line/line-buffer.ts";
import { escapeText } from "../text/escape-text.ts";
import { createQuestionQueue } from "./chat-screen.ts";
import type { Input, Question } from "./input-state.ts";

/** The questions of a screen: one at a time, in order. */
export interface Questions {
  /**
   * Asks, and waits for the answer. `ask` says what, when it is its turn.
   *
   * Contract: `undefined` when questions are refused, when the person stops the turn, or when `signal` takes it away.
   */
  ask(ask: () => NewQuestion, signal: AbortSignal | undefined): Promise<string | undefined>;
  /** Ends the question that is open, if any. */
  settle(answer: string | undefined): void;
}

export type NewQuestion = Omit<Question, "answer" | "kept">;

export function createQuestions(input: Input): Questions {
  const { state, session } = input;
  const inTurn = createQuestionQueue();

  /** Takes the question away and gives back what was being typed when it came. */
  function close(asked: Question): void {
    state.question = undefined;
    if (asked.typing !== true) state.buffer = asked.kept;
  }

  function withdraw(asked: Question): void {
    if (state.question !== asked) return;
    close(asked);
    input.paint();
    asked.answer(undefined);
  }

  function open(next: NewQuestion, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (state.refusing || signal?.aborted === true) return Promise.resolve(undefined);
    input.suggestions.close();
    state.search = undefined;
    return new Promise((resolve) => {
      const onAbort = (): void => withdraw(asked);
      const asked: Question = {
        ...next,
        kept: state.buffer,
        answer(text) {
          signal?.removeEventListener("abort", onAbort);
          resolve(text);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      state.question = asked;
      if (asked.typing === true) input.paint();
      else input.change(EMPTY);
    });
  }

  return {
    ask: (ask, signal) => inTurn(() => open(ask(), signal)),
    settle(answer) {
      const asked = state.question;
      if (asked === undefined) return;
      close(asked);
      const { choice } = asked;
      if (choice === undefined) session.print(`${asked.text}${escapeText(answer ?? "")}`);
      else if (answer !== undefined) session.print(`${escapeText(choice.question)} ${answer} (${choice.keys[answer]})`);
      input.paint();
      asked.answer(answer);
    },
  };
}
