import type { InputHistory } from "./input-history.ts";
import { bufferOf, type LineBuffer } from "./line-buffer.ts";
import { nameOf } from "../keys/edit-keys.ts";
import type { Key } from "../keys/read-keys.ts";

/** A search backwards through what was sent, as a person types it. */
export interface HistorySearch {
  /** What is found by now, or what was being typed. */
  readonly buffer: LineBuffer;
  readonly prompt: string;
  /**
   * Contract: `going` while the search goes on; `done` when it ends with what was found; `again` when it does and the key
   * has still to be obeyed; `cancelled` when it ends with what was being typed before.
   */
  press(key: Key): "going" | "done" | "again" | "cancelled";
}

const CANCELS: ReadonlySet<string> = new Set(["ctrl+c", "ctrl+g"]);
const ENDS: ReadonlySet<string> = new Set(["escape", "tab"]);

export function searchHistory(history: InputHistory, draft: LineBuffer): HistorySearch {
  let query = "";
  let found: { readonly text: string; readonly place: number } | undefined;
  let isFailing = false;

  const look = (before?: number): void => {
    const next = query === "" ? undefined : history.search(query, before);
    isFailing = query !== "" && next === undefined;
    found = next ?? (before === undefined ? undefined : found);
  };
  return {
    get buffer() {
      return found === undefined ? draft : bufferOf(found.text);
    },
    get prompt() {
      return `(${isFailing ? "nothing found" : "search"}) ${query}: `;
    },
    press(key) {
      const name = nameOf(key);
      if (CANCELS.has(name)) {
        found = undefined;
        return "cancelled";
      }
      if (ENDS.has(name)) return "done";
      if (name === "ctrl+r") {
        look(found?.place);
        return "going";
      }
      if (name === "backspace" || name === "ctrl+h") {
        query = Array.from(query).slice(0, -1).join("");
        look();
        return "going";
      }
      if (key.text === "") return "again";
      query += key.text.replaceAll("\n", " ");
      // What is found already may fit what is typed on.
      look(found === undefined ? undefined : found.place + 1);
      return "going";
    },
  };
}
