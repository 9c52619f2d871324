import { type Choice, choicePrompt, keyOf, notAKey } from "../text/choice.ts";

/** Questions that the next line answers. */
export interface LineQuestions {
  /** Contract: `undefined` when the person stops the turn, the input ends, or `signal` takes the question away. */
  read(prompt: string, signal: AbortSignal | undefined): Promise<string | undefined>;
  /** Asks until a line is one of the keys. Contract: as `read`. */
  choose(choice: Choice, signal: AbortSignal | undefined): Promise<string | undefined>;
  /** Answers the question that is open. Contract: false when none is. */
  answer(line: string | undefined): boolean;
  /** The keys of a question that was taken away since the last line: a late answer to it is no message. */
  takeExpired(): Choice | undefined;
  /** What is asked from now on is answered with nothing, until it is set back. */
  refuse(refuse: boolean): void;
}

export function createLineQuestions(output: NodeJS.WritableStream): LineQuestions {
  let question: ((answer: string | undefined) => void) | undefined;
  let expired: Choice | undefined;
  let refusing = false;

  function read(prompt: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (refusing || signal?.aborted === true) return Promise.resolve(undefined);
    output.write(prompt);
    return new Promise((resolve) => {
      const settle = (answer: string | undefined): void => {
        question = undefined;
        signal?.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      const onAbort = (): void => {
        output.write("\n");
        settle(undefined);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      question = settle;
    });
  }

  return {
    read,
    async choose(choice, signal) {
      for (;;) {
        const line = await read(choicePrompt(choice), signal);
        if (line === undefined) {
          if (signal?.aborted === true) expired = choice;
          return undefined;
        }
        const key = keyOf(line, choice);
        if (key !== undefined) return key;
        output.write(`${notAKey(line, choice)}\n`);
      }
    },
    answer(line) {
      const open = question;
      open?.(line);
      return open !== undefined;
    },
    takeExpired() {
      const taken = expired;
      expired = undefined;
      return taken;
    },
    refuse: (refuse) => void (refusing = refuse),
  };
}
