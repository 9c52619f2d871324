import { emitKeypressEvents, type Interface, type Key as NodeKey } from "node:readline";

/** One key, or a whole paste. */
export interface Key {
  /** Such as `a`, `return`, `left`; `paste` for a paste, and empty for a character without a name. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** What it types, if anything. */
  readonly text: string;
}

export interface KeyInput extends NodeJS.EventEmitter {
  setRawMode(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
}

const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
const LONGEST_PASTE = 1_000_000;
/** Long enough for a slow line, short enough for a person who presses Escape. */
const ESCAPE_MS = 50;

/**
 * Hears single keys of a terminal.
 *
 * Contract: a paste comes as one key whatever it holds, so that nothing in it is obeyed; dispose to give the terminal back.
 */
export function readKeys(input: KeyInput, write: (text: string) => void, onKey: (key: Key) => void): Disposable {
  let paste: string | undefined;
  const hear = (text: string | undefined, key: NodeKey): void => {
    const { name = "", sequence = "", ctrl = false, meta = false } = key as NodeKey & { name?: string };
    if (name === "paste-start") paste = "";
    else if (name === "paste-end") {
      const pasted = paste ?? "";
      paste = undefined;
      onKey({ name: "paste", ctrl: false, meta: false, text: normalise(pasted) });
    } else if (paste !== undefined) {
      if (paste.length < LONGEST_PASTE) paste += text ?? sequence;
    } else if (name === "escape") onKey({ name, ctrl: false, meta: false, text: "" });
    else onKey({ name, ctrl, meta, text: isTyped(text) && !ctrl && !meta ? text : "" });
  };
  emitKeypressEvents(input as NodeJS.ReadStream, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  input.on("keypress", hear);
  input.setRawMode(true);
  input.resume();
  write(PASTE_ON);
  return {
    [Symbol.dispose]() {
      input.removeListener("keypress", hear);
      write(PASTE_OFF);
      input.setRawMode(false);
      input.pause();
    },
  };
}

function isTyped(text: string | undefined): text is string {
  // oxlint-disable-next-line no-control-regex
  return text !== undefined && text !== "" && !/[\0-\x1f\x7f]/.test(text);
}

function normalise(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
