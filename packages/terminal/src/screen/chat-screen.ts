import type { Choice } from "../text/choice.ts";

/** Part of a text, from `start` up to `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a person sent. */
export interface Submission {
  readonly text: string;
  /** The parts that were pasted: an `@` there is text and brings in nothing. */
  readonly pasted: readonly Span[];
}

/** Where a conversation is shown and typed. */
export interface ChatScreen extends Disposable {
  /** Lines that stay. Contract: the text is safe, colours included. */
  print(text: string): void;
  /** What is going on right now, shown above the input. Plain screens leave it out. */
  setLive(rows: readonly string[]): void;
  setStatus(text: string): void;
  /** The next thing the person sends; `undefined` when they leave. */
  next(): Promise<Submission | undefined>;
  /** Puts something before what the person sends next. */
  push(text: string): void;
  /** One question. Contract: empty when the person stops the turn instead, or `signal` takes the question away. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
  /**
   * One question that a single key answers; any other key is told so, and the question stays.
   *
   * Contract: one question at a time, in order. `undefined` when the person stops the turn instead, or when `signal`
   * takes the question away: it disappears, and what is typed then answers nothing. What somebody was typing when the
   * question came, and what is pasted, answers nothing either.
   */
  choose(choice: Choice, signal?: AbortSignal): Promise<string | undefined>;
  /** What is asked from now on is answered with nothing, until it is set back. */
  refuseQuestions(refuse: boolean): void;
  /** Gives the terminal to another program while `work` lasts; what is printed meanwhile comes after. Absent: it cannot. */
  lend?<T>(work: () => Promise<T>): Promise<T>;
  /** More names may be there by now: looks again for what is being typed. */
  refresh(): void;
  readonly colours: boolean;
  readonly columns: number;
  /** Whether live rows are shown. */
  readonly lively: boolean;
}

export interface ScreenEvents {
  /** Ctrl-C while there is nothing to clear. */
  onInterrupt(): void;
  /** Escape while there is nothing to close: stops what is running, and never leaves. Absent: it does nothing. */
  onEscape?(): void;
  /** Ctrl-O: the last result in full. */
  onUnfold(): void;
  /** Names for `@` and `@@`. */
  findNames(asset: boolean, query: string): Promise<readonly string[] | undefined>;
  /** Slash commands whose name begins with `prefix`. */
  commands(prefix: string): readonly { readonly name: string; readonly description: string }[];
}

/** A text that was typed as a whole. */
export function typedText(text: string): Submission {
  return { text, pasted: [] };
}

/** Hands what was sent to whoever waits for it, in order. */
export interface Submissions {
  /** Contract: false when nobody waited, so that it is queued. */
  push(submission: Submission | undefined): boolean;
  next(): Promise<Submission | undefined>;
  /** What is queued, the oldest first. */
  readonly queued: readonly Submission[];
  /** Takes the newest that is queued back, so that it is not sent. */
  takeBack(): Submission | undefined;
}

export function createSubmissions(): Submissions {
  const sent: (Submission | undefined)[] = [];
  let waiting: ((submission: Submission | undefined) => void) | undefined;
  return {
    push(submission) {
      if (waiting === undefined) {
        sent.push(submission);
        return false;
      }
      const resolve = waiting;
      waiting = undefined;
      resolve(submission);
      return true;
    },
    get queued() {
      return sent.filter((submission) => submission !== undefined);
    },
    takeBack() {
      const at = sent.findLastIndex((submission) => submission !== undefined);
      return at === -1 ? undefined : sent.splice(at, 1)[0];
    },
    next: () => (sent.length > 0 ? Promise.resolve(sent.shift()) : new Promise((resolve) => (waiting = resolve))),
  };
}

/** Lets questions wait for each other, so that an answer is never taken for another question. */
export function createQuestionQueue(): <T>(ask: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (ask) => {
    // Without one that is open it is shown at once.
    const next = waiting === 0 ? ask() : last.then(ask);
    waiting++;
    last = next.then(
      () => void waiting--,
      () => void waiting--,
    );
    return next;
  };
}
