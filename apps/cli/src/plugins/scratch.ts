import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";

/** Options for throwaway places, a new one each time. */
export interface Scratch extends Disposable {
  next(): unknown;
}

/**
 * Makes options from a text in which `{folder}` stands for a new empty folder and `{id}` for a new short name.
 *
 * Contract: a text that names neither is refused, since its cases would share one place.
 */
export function createScratch(text: string): Scratch {
  if (!text.includes("{folder}") && !text.includes("{id}")) {
    throw new IkigaiError("invalid_input", "The scratch options name the same place for every case", {
      hint: 'Use {folder} for a new folder or {id} for a new name, as in {"file": "{folder}/x.db"}.',
    });
  }
  const base = mkdtempSync(join(tmpdir(), "ikigai-check-"));
  let count = 0;
  return {
    next() {
      const id = `check-${process.pid}-${++count}`;
      const folder = join(base, id);
      mkdirSync(folder);
      const inText = (value: string): string => JSON.stringify(value).slice(1, -1);
      return JSON.parse(text.replaceAll("{folder}", () => inText(folder)).replaceAll("{id}", id)) as unknown;
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}
