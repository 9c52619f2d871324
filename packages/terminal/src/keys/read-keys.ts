import { StringDecoder } from "node:string_decoder";
import { createKeyDecoder, type Key, KITTY_ANSWER } from "./decode-keys.ts";

export type { Key } from "./decode-keys.ts";

export interface KeyInput extends NodeJS.EventEmitter {
  setRawMode(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
}

const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
/** Asks whether the terminal can tell Shift-Enter from Enter. One that cannot says nothing. */
const KITTY_ASK = "\u001b[?u";
const KITTY_ON = "\u001b[>1u";
const KITTY_OFF = "\u001b[<u";
/** The older way, for terminals that are known to have it: others would take it for a style. */
const OTHER_KEYS_ON = "\u001b[>4;1m";
const OTHER_KEYS_OFF = "\u001b[>4;0m";
/** Long enough for a slow line, short enough for a person who presses Escape. */
const WAIT_MS = 50;

/**
 * Hears single keys of a terminal.
 *
 * Contract: a paste comes as one key whatever it holds, so that nothing in it is obeyed; dispose to give the terminal back.
 */
export function readKeys(
  input: KeyInput,
  write: (text: string) => void,
  onKey: (key: Key) => void,
  env: NodeJS.ProcessEnv = process.env,
): Disposable {
  const decoder = createKeyDecoder();
  const utf8 = new StringDecoder("utf8");
  const tellsOtherKeys = Boolean(env["TMUX"] || env["XTERM_VERSION"]);
  let knowsKitty = false;
  let timer: NodeJS.Timeout | undefined;

  const tell = (keys: readonly Key[]): void => {
    for (const key of keys) {
      if (key.name !== KITTY_ANSWER) onKey(key);
      else if (!knowsKitty) {
        knowsKitty = true;
        write(KITTY_ON);
      }
    }
  };
  const hear = (data: Buffer | string): void => {
    clearTimeout(timer);
    tell(decoder.push(typeof data === "string" ? data.toWellFormed() : utf8.write(data)));
    if (decoder.isWaiting) timer = setTimeout(() => tell(decoder.settle()), WAIT_MS);
  };
  input.on("data", hear);
  input.setRawMode(true);
  input.resume();
  write(`${PASTE_ON}${tellsOtherKeys ? OTHER_KEYS_ON : KITTY_ASK}`);
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      input.removeListener("data", hear);
      write(`${knowsKitty ? KITTY_OFF : ""}${tellsOtherKeys ? OTHER_KEYS_OFF : ""}${PASTE_OFF}`);
      input.setRawMode(false);
      input.pause();
    },
  };
}
