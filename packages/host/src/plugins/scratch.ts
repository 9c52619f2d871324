import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { describeJsonProblem } from "../configuration/json-problem.ts";

/** Options for throwaway places, a new one each time. */
export interface Scratch extends Disposable {
  next(): unknown;
}

/**
 * Makes options from a text in which `{folder}` stands for a new empty folder and `{id}` for a new short name.
 *
 * Contract: `invalid_input` for a text that names neither, since its cases would share one place, and for one that is no
 * JSON object.
 */
export function createScratch(text: string): Scratch {
  if (!text.includes("{folder}") && !text.includes("{id}")) {
    throw new IkigaiError("invalid_input", "The scratch options name the same place for every case", {
      hint: 'Use {folder} for a new folder or {id} for a new name, as in {"file": "{folder}/x.db"}.',
    });
  }
  // The stand-ins are as long as `{folder}` and `{id}`, so that a problem is reported at its place.
  parseScratch(text, "_folder_", "_id_");
  const base = mkdtempSync(join(tmpdir(), "ikigai-check-"));
  let count = 0;
  return {
    next() {
      const id = `check-${process.pid}-${++count}`;
      const folder = join(base, id);
      mkdirSync(folder);
      return parseScratch(text, folder, id);
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

function parseScratch(text: string, folder: string, id: string): unknown {
  const inText = (value: string): string => JSON.stringify(value).slice(1, -1);
  const filled = text.replaceAll("{folder}", () => inText(folder)).replaceAll("{id}", id);
  let value: unknown;
  try {
    value = JSON.parse(filled);
  } catch (cause) {
    throw new IkigaiError("invalid_input", `The scratch options are not valid JSON: ${describeJsonProblem(filled)}`, {
      hint: "Mend it there; {folder} and {id} stand inside of texts, in quotes.",
      cause,
    });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new IkigaiError("invalid_input", "The scratch options must be a JSON object", {
    hint: 'Write what the plugin takes, as in {"file": "{folder}/x.db"}.',
  });
}
