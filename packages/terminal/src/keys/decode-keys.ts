/** One key, or a whole paste. */
export interface Key {
  /** Such as `a`, `return`, `left`; `paste` for a paste, and empty for a character without a name. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** Told only where a terminal tells it, such as for Enter. Absent: no. */
  readonly shift?: boolean;
  /** What it types, if anything. */
  readonly text: string;
  /** Whether a paste was too long, so that only its beginning is there. Absent: no. */
  readonly isCut?: boolean;
}

/** Makes keys of what a terminal sends. */
export interface KeyDecoder {
  /** The keys that are whole by now. */
  push(text: string): Key[];
  /** What is held back because more may come, taken as it is. Contract: called when nothing came for a while. */
  settle(): Key[];
  /** Whether something is held back. */
  readonly isWaiting: boolean;
}

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** Characters of a paste that are kept. */
export const LONGEST_PASTE = 1_000_000;
/** Characters that come at once as nobody types them. */
const BURST = 256;
const BURST_WITH_LINE = 40;
const BURST_WITH_LINES = 16;

/* oxlint-disable no-control-regex -- keys are control characters */
const CSI = /\u001b(\u001b?)\[([<=>?]?)([0-9;:]*)[ -/]*([@-~])/y;
const OPEN_CSI = /^\u001b\u001b?(?:\[[<=>?]?[0-9;:]*[ -/]*|O[0-9;]*)?$/;
const SS3 = /\u001b(\u001b?)O([0-9;]*)([A-Za-z])/y;
const TYPED_RUN = /[^\0-\u0008\u000b\u000c\u000e-\u001f\u007f]+/y;
/* oxlint-enable no-control-regex */

const LETTERS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "clear",
  F: "end",
  H: "home",
  M: "return",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  Z: "tab",
};
const NUMBERS: Readonly<Record<string, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};
const CODES: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  10: "enter",
  13: "return",
  27: "escape",
  32: "space",
  127: "backspace",
  57414: "return",
};
/** Of the modifiers, as terminals number them. */
const SHIFT = 1;
const ALT = 2;
const CTRL = 4;

/** What is named when a terminal says that it knows the kitty keyboard protocol. */
export const KITTY_ANSWER = "kitty-answer";

/**
 * Contract: however keys and marked pastes are cut into pieces, the keys are the same. A paste is one key whatever it holds, so that
 * nothing in it is obeyed, also when the terminal does not mark it; of a marked one only the last end counts that came with
 * it. A Ctrl-C that comes alone is heard even while the end of a paste is missing.
 */
export function createKeyDecoder(): KeyDecoder {
  let held = "";
  let paste: { text: string; isCut: boolean; readonly marked: boolean } | undefined;

  const endPaste = (): Key => {
    const { text: pasted, isCut } = paste ?? { text: "", isCut: false };
    paste = undefined;
    return { name: "paste", ctrl: false, meta: false, text: normalise(pasted), ...(isCut && { isCut }) };
  };
  const addToPaste = (text: string): void => {
    if (paste === undefined) return;
    const room = LONGEST_PASTE - paste.text.length;
    paste.text += text.slice(0, room);
    paste.isCut ||= text.length > room;
  };

  /** Reads on inside a marked paste. Contract: gives where it ended, or `undefined` when all of it belongs to the paste. */
  function readPaste(text: string, at: number): number | undefined {
    const firstEnd = text.indexOf(PASTE_END, at);
    if (firstEnd !== -1) {
      const nextStart = text.indexOf(PASTE_START, firstEnd);
      const end = text.lastIndexOf(PASTE_END, nextStart === -1 ? text.length : nextStart);
      addToPaste(text.slice(at, end));
      return end + PASTE_END.length;
    }
    held = unfinishedEnd(text.slice(at));
    addToPaste(text.slice(at, text.length - held.length));
    return undefined;
  }

  return {
    get isWaiting() {
      return held !== "" || paste?.marked === false;
    },
    push(sent) {
      const keys: Key[] = [];
      if (sent === "\u0003" && paste !== undefined) {
        addToPaste(held);
        held = "";
        return [endPaste(), control("c")];
      }
      const text = held + sent;
      held = "";
      let at = 0;
      while (at < text.length) {
        if (paste?.marked === true) {
          const end = readPaste(text, at);
          if (end === undefined) return keys;
          keys.push(endPaste());
          at = end;
          continue;
        }
        const run = matchAt(TYPED_RUN, text, at)?.[0] ?? "";
        if (run !== "" && (paste !== undefined || isBurst(run))) {
          paste ??= { text: "", isCut: false, marked: false };
          addToPaste(run);
          at += run.length;
          continue;
        }
        if (paste !== undefined) keys.push(endPaste());
        if (text.startsWith(PASTE_START, at)) {
          paste = { text: "", isCut: false, marked: true };
          at += PASTE_START.length;
          continue;
        }
        const [key, length] = readKey(text, at);
        if (length === 0) {
          held = text.slice(at);
          return keys;
        }
        if (key !== undefined) keys.push(key);
        at += length;
      }
      return keys;
    },
    settle() {
      if (paste?.marked === true) return [];
      const keys = paste === undefined ? [] : [endPaste()];
      const rest = held;
      held = "";
      if (rest === "") return keys;
      // Nothing follows, so the Escape was one, and what came after it was typed.
      keys.push({ name: "escape", ctrl: false, meta: false, text: "" });
      for (let at = 1; at < rest.length;) {
        const [key, length] = readKey(rest, at);
        if (key !== undefined) keys.push(key);
        at += Math.max(1, length);
      }
      return keys;
    },
  };
}

/** A key and how many units it took. Contract: the length is 0 when the end of it is missing. */
function readKey(text: string, at: number): readonly [Key | undefined, number] {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character !== "\u001b") return [plainKey(character), character.length];
  const csi = matchAt(CSI, text, at);
  if (csi !== undefined) {
    // The Linux console sends one more letter after a second bracket.
    if (csi[4] === "[") return text.length > at + csi[0].length ? [undefined, csi[0].length + 1] : [undefined, 0];
    return [csiKey(csi), csi[0].length];
  }
  const ss3 = matchAt(SS3, text, at);
  if (ss3 !== undefined) {
    const [whole, escape, modifiers = "", letter = ""] = ss3;
    return [withModifiers(LETTERS[letter] ?? "", modifiers, escape !== ""), whole.length];
  }
  if (OPEN_CSI.test(text.slice(at))) return [undefined, 0];
  const next = text.codePointAt(at + 1) ?? 0;
  if (next === 0x1b) return [{ name: "escape", ctrl: false, meta: false, text: "" }, 1];
  const following = String.fromCodePoint(next);
  return [{ ...plainKey(following), meta: true, text: "" }, 1 + following.length];
}

function csiKey([, escape = "", prefix = "", parameters = "", letter = ""]: RegExpExecArray): Key | undefined {
  const [first = "", second = "", third = ""] = parameters.split(";");
  const meta = escape !== "";
  if (prefix !== "") return prefix === "?" && letter === "u" ? named(KITTY_ANSWER) : undefined;
  if (letter === "u") return second.endsWith(":3") ? undefined : codeKey(first, second);
  if (letter !== "~") return letter in LETTERS ? withModifiers(LETTERS[letter] ?? "", second, meta) : undefined;
  if (first === "27") return codeKey(third, second);
  return first in NUMBERS ? withModifiers(NUMBERS[first] ?? "", second, meta) : undefined;
}

function withModifiers(name: string, modifiers: string, meta: boolean): Key {
  const bits = Math.max(0, (Number.parseInt(modifiers, 10) || 1) - 1);
  return {
    name,
    ctrl: (bits & CTRL) !== 0,
    meta: meta || (bits & ALT) !== 0,
    ...((bits & SHIFT) !== 0 && { shift: true }),
    text: "",
  };
}

/** A key that is sent as the number of its character. */
function codeKey(number: string, modifiers: string): Key | undefined {
  const code = Number.parseInt(number, 10);
  if (!(code > 0 && code <= 0x10ffff)) return undefined;
  const key = withModifiers(CODES[code] ?? "", modifiers, false);
  if (key.name !== "" && key.name !== "space") return key;
  const character = String.fromCodePoint(code);
  if (!character.isWellFormed() || plainKey(character).text === "") return undefined;
  const typed = key.shift === true ? character.toUpperCase() : character;
  const { name } = plainKey(character);
  return { ...key, name, text: key.ctrl || key.meta ? "" : typed };
}

function plainKey(character: string): Key {
  const code = character.codePointAt(0) ?? 0;
  const special = CODES[code];
  if (special !== undefined && special !== "space") return named(special);
  if (code === 0) return control("space");
  if (code < 0x20) return control(String.fromCharCode(code + (code <= 26 ? 96 : 64)));
  const isName = /^[!-~]$/.test(character);
  const name = character === " " ? "space" : isName ? character.toLowerCase() : "";
  return { name, ctrl: false, meta: false, text: code >= 0x7f && code < 0xa0 ? "" : character };
}

function named(name: string): Key {
  return { name, ctrl: false, meta: false, text: "" };
}

function control(name: string): Key {
  return { name, ctrl: true, meta: false, text: "" };
}

/** Whether so much came at once that nobody typed it. */
function isBurst(run: string): boolean {
  if (run.length >= BURST) return true;
  const lines = run.replace(/[\r\n]+$/, "").split(/\r\n?|\n/).length - 1;
  return (lines >= 1 && run.length >= BURST_WITH_LINE) || (lines >= 2 && run.length >= BURST_WITH_LINES);
}

/** The longest end of a text with which the mark of a paste's end begins. */
function unfinishedEnd(text: string): string {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--)
    if (PASTE_END.startsWith(text.slice(-length))) return text.slice(-length);
  return "";
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function normalise(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
