/** Where a conversation is shown and typed. */
export interface ChatScreen extends Disposable {
  /** Lines that stay. Contract: the text is safe, colours included. */
  print(text: string): void;
  /** What is going on right now, shown above the input. Plain screens leave it out. */
  setLive(rows: readonly string[]): void;
  setStatus(text: string): void;
  /** The next thing the person sends; `undefined` when they leave. */
  next(): Promise<string | undefined>;
  /** Puts something before what the person sends next. */
  push(text: string): void;
  /** One question. Contract: empty when the person stops the turn instead. */
  ask(question: string): Promise<string>;
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
  /** Ctrl-O: the last result in full. */
  onUnfold(): void;
  /** Names for `@` and `@@`. */
  findNames(asset: boolean, query: string): Promise<readonly string[] | undefined>;
  /** Slash commands whose name begins with `prefix`. */
  commands(prefix: string): readonly { readonly name: string; readonly description: string }[];
}

/** Hands what was sent to whoever waits for it, in order. */
export function createSubmissions(): {
  push(text: string | undefined): void;
  next(): Promise<string | undefined>;
} {
  const sent: (string | undefined)[] = [];
  let waiting: ((text: string | undefined) => void) | undefined;
  return {
    push(text) {
      if (waiting === undefined) return void sent.push(text);
      const resolve = waiting;
      waiting = undefined;
      resolve(text);
    },
    next: () => (sent.length > 0 ? Promise.resolve(sent.shift()) : new Promise((resolve) => (waiting = resolve))),
  };
}
