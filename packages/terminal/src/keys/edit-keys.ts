import { createKillRing } from "../line/kill-ring.ts";
import * as edit from "../line/line-buffer.ts";
import type { LineBuffer } from "../line/line-buffer.ts";
import type { Key } from "./read-keys.ts";

type Edit = (buffer: LineBuffer) => LineBuffer;

const toLeft: Edit = (buffer) => edit.erase(buffer, edit.left);
const toRight: Edit = (buffer) => edit.erase(buffer, edit.right);
const newLine: Edit = (buffer) => edit.insert(buffer, "\n");

/** Keys that move in the text or change it, by name; `ctrl+`, `meta+` and `shift+` before it. */
const EDITS: Readonly<Record<string, Edit>> = {
  left: edit.left,
  right: edit.right,
  "ctrl+b": edit.left,
  home: edit.lineStart,
  "ctrl+a": edit.lineStart,
  end: edit.lineEnd,
  "ctrl+e": edit.lineEnd,
  "ctrl+left": edit.wordLeft,
  "ctrl+right": edit.wordRight,
  "meta+left": edit.wordLeft,
  "meta+right": edit.wordRight,
  "meta+b": edit.wordLeft,
  "meta+f": edit.wordRight,
  "meta+<": ({ text }) => ({ text, cursor: 0 }),
  "meta+>": ({ text }) => edit.bufferOf(text),
  backspace: toLeft,
  "ctrl+h": toLeft,
  delete: toRight,
  "meta+return": newLine,
  "shift+return": newLine,
  "ctrl+return": newLine,
  "meta+enter": newLine,
  enter: newLine,
  "ctrl+j": newLine,
};

/** Keys that cut from the cursor to where they would move, by name. */
const CUTS: Readonly<Record<string, Edit>> = {
  "ctrl+w": edit.blankLeft,
  "meta+backspace": edit.wordLeft,
  "ctrl+backspace": edit.wordLeft,
  "meta+d": edit.wordRight,
  "meta+delete": edit.wordRight,
  "ctrl+delete": edit.wordRight,
  "ctrl+u": edit.lineStart,
  "ctrl+k": (buffer) => {
    const end = edit.lineEnd(buffer);
    return end.cursor === buffer.cursor ? edit.right(buffer) : end;
  },
};

/** The name that a key is looked up by. Contract: Shift counts only for keys that type nothing of their own. */
export function nameOf({ name, ctrl, meta, shift }: Key): string {
  const shifted = shift === true && (name === "return" || name === "tab");
  return `${ctrl ? "ctrl+" : ""}${meta ? "meta+" : ""}${shifted ? "shift+" : ""}${name}`;
}

/** Turns keys into edits, and remembers what was cut. */
export interface KeyEditor {
  /** The buffer after a key that edits, or `undefined` for a key that does not. */
  apply(buffer: LineBuffer, key: Key): LineBuffer | undefined;
  /** Something else changed the buffer: the next cut is one of its own, and nothing was put back just now. */
  rest(): void;
}

export function createKeyEditor(): KeyEditor {
  const ring = createKillRing();
  /** What was put back last, where it still stands before the cursor. */
  let yanked = "";

  function paste(buffer: LineBuffer, text: string | undefined): LineBuffer | undefined {
    if (text === undefined) return undefined;
    const before = buffer.text.slice(0, buffer.cursor - yanked.length);
    const after = buffer.text.slice(buffer.cursor);
    yanked = text;
    return { text: before + text + after, cursor: before.length + text.length };
  }

  const rest = (): void => {
    ring.rest();
    yanked = "";
  };
  return {
    rest,
    apply(buffer, key) {
      const name = nameOf(key);
      if (name === "ctrl+y") {
        yanked = "";
        return paste(buffer, ring.newest()) ?? buffer;
      }
      if (name === "meta+y") return paste(buffer, ring.older()) ?? buffer;
      yanked = "";
      const move = CUTS[name];
      if (move !== undefined) {
        const to = move(buffer).cursor;
        const cut = buffer.text.slice(Math.min(to, buffer.cursor), Math.max(to, buffer.cursor));
        ring.cut(cut, to < buffer.cursor ? "before" : "after");
        return edit.erase(buffer, move);
      }
      rest();
      const named = EDITS[name];
      if (named !== undefined) return named(buffer);
      return key.text === "" ? undefined : edit.insert(buffer, key.text);
    },
  };
}
