import * as edit from "./line-buffer.ts";
import type { LineBuffer } from "./line-buffer.ts";
import type { Key } from "./read-keys.ts";

type Edit = (buffer: LineBuffer) => LineBuffer;

const toLeft: Edit = (buffer) => edit.erase(buffer, edit.left);
const toRight: Edit = (buffer) => edit.erase(buffer, edit.right);
const wordBack: Edit = (buffer) => edit.erase(buffer, edit.wordLeft);

/** Keys that move in the text or change it, by name; `ctrl+` and `meta+` before it. */
const EDITS: Readonly<Record<string, Edit>> = {
  left: edit.left,
  right: edit.right,
  "ctrl+b": edit.left,
  home: edit.lineStart,
  end: edit.lineEnd,
  "ctrl+e": edit.lineEnd,
  "ctrl+left": edit.wordLeft,
  "ctrl+right": edit.wordRight,
  "meta+left": edit.wordLeft,
  "meta+right": edit.wordRight,
  "meta+b": edit.wordLeft,
  "meta+f": edit.wordRight,
  backspace: toLeft,
  "ctrl+h": toLeft,
  delete: toRight,
  "ctrl+w": wordBack,
  "meta+backspace": wordBack,
  "meta+d": (buffer) => edit.erase(buffer, edit.wordRight),
  "ctrl+u": (buffer) => edit.erase(buffer, edit.lineStart),
  "ctrl+k": (buffer) => edit.erase(buffer, edit.lineEnd),
  "meta+return": (buffer) => edit.insert(buffer, "\n"),
  "meta+enter": (buffer) => edit.insert(buffer, "\n"),
  enter: (buffer) => edit.insert(buffer, "\n"),
  "ctrl+j": (buffer) => edit.insert(buffer, "\n"),
};

export function nameOf({ name, ctrl, meta }: Key): string {
  return `${ctrl ? "ctrl+" : ""}${meta ? "meta+" : ""}${name}`;
}

/** The buffer after a key that edits, or `undefined` for a key that does not. */
export function applyKey(buffer: LineBuffer, key: Key): LineBuffer | undefined {
  const named = EDITS[nameOf(key)];
  if (named !== undefined) return named(buffer);
  return key.text === "" ? undefined : edit.insert(buffer, key.text);
}
