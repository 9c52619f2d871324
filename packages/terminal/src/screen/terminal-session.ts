import type { Painter } from "./painter.ts";
import { type Key, type KeyInput, readKeys } from "../keys/read-keys.ts";

/** The terminal while it is ours, and the times when it is not. */
export interface TerminalSession extends Disposable {
  /** Whether nothing may be painted now. Contract: asks the terminal, whose size changes before the signal for it comes. */
  isHeld(): boolean;
  /** Prints, or keeps the text until the terminal is ours again. */
  print(text: string): void;
  /** Gives the terminal to another program while `work` lasts. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Stops the process as Ctrl-Z does elsewhere. Contract: where nothing can be stopped it goes on by itself. */
  suspend(): void;
}

export interface TerminalSessionOptions {
  readonly input: KeyInput;
  readonly output: NodeJS.EventEmitter & {
    /** Asks the terminal for its size, and tells `resize` when it is another. Node's own; absent on other streams. */
    _refreshSize?(): void;
  };
  readonly painter: Painter;
  write(text: string): void;
  onKey(key: Key): void;
  /** Called whenever everything has to be painted anew. */
  repaint(): void;
}

/** A terminal that is dragged sends many sizes, and shows rows of ours in none of them rightly. */
const SETTLED_MS = 60;
/** A process that belongs to no shell is not stopped by the signal. */
const NOT_STOPPED_MS = 300;

export function openTerminalSession(options: TerminalSessionOptions): TerminalSession {
  const { input, output, painter, write, onKey, repaint } = options;
  const said: string[] = [];
  let holds = 0;
  let keys: Disposable | undefined = readKeys(input, write, onKey);
  let resizing: NodeJS.Timeout | undefined;
  let resume: (() => void) | undefined;

  function release(): void {
    if (--holds > 0) return;
    for (const text of said.splice(0)) painter.print(text);
    repaint();
  }

  function onResize(): void {
    if (resizing === undefined) holds++;
    clearTimeout(resizing);
    resizing = setTimeout(() => {
      resizing = undefined;
      release();
    }, SETTLED_MS);
  }

  /** Gives the terminal away. Contract: gives what takes it back, once. */
  function give(): () => void {
    painter.clear();
    keys?.[Symbol.dispose]();
    keys = undefined;
    holds++;
    let isGiven = true;
    return () => {
      if (!isGiven) return;
      isGiven = false;
      keys ??= readKeys(input, write, onKey);
      release();
    };
  }

  /** Also heard when somebody else stopped the process: the shell has changed the terminal meanwhile. */
  function onContinue(): void {
    if (resume !== undefined) return resume();
    if (keys === undefined) return;
    keys[Symbol.dispose]();
    keys = readKeys(input, write, onKey);
    repaint();
  }

  const isHeld = (): boolean => {
    output._refreshSize?.();
    return holds > 0;
  };

  output.on("resize", onResize);
  process.on("SIGCONT", onContinue);
  return {
    isHeld,
    print: (text) => void (isHeld() ? said.push(text) : painter.print(text)),
    async lend(work) {
      const take = give();
      try {
        return await work();
      } finally {
        take();
      }
    },
    suspend() {
      if (process.platform === "win32" || resume !== undefined) return;
      const take = give();
      const timer = setTimeout(() => resume?.(), NOT_STOPPED_MS);
      resume = () => {
        clearTimeout(timer);
        resume = undefined;
        take();
      };
      // All of the job, as the terminal itself would do.
      process.kill(0, "SIGTSTP");
    },
    [Symbol.dispose]() {
      clearTimeout(resizing);
      output.removeListener("resize", onResize);
      process.removeListener("SIGCONT", onContinue);
      painter.clear();
      keys?.[Symbol.dispose]();
    },
  };
}
