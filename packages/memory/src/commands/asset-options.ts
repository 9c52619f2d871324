import { type Effect, IkigaiError } from "@ikigai/core";
import type { AssetEdit } from "../pins/pins.ts";
import { expectArguments } from "./command-context.ts";

/** What `/assets edit` is told to change. */
export type AssetChanges = Pick<AssetEdit, "text" | "fields"> & { readonly expected?: string };

const USAGE = "edit ADDRESS [--text TEXT] [--description TEXT] [--category CATEGORY] [--read-only yes|no]";
const CATEGORIES = ["block", "skill", "preference"];

/** Contract: `invalid_input` for an option that is unknown, has no value, comes twice or has a wrong value. */
export function readAssetOptions(words: readonly string[]): { readonly place: string; readonly changes: AssetChanges } {
  const places: string[] = [];
  const named = new Set<string>();
  let changes: AssetChanges = {};
  for (let at = 0; at < words.length; at += 1) {
    const [word, given] = splitOption(words[at] as string);
    if (!word.startsWith("--")) {
      places.push(word);
      continue;
    }
    const read = READERS.get(word);
    if (read === undefined) throw wrong(`/assets edit does not know ${JSON.stringify(word)}`);
    if (named.has(word)) throw wrong(`${word} comes twice`);
    named.add(word);
    const value = given ?? words[(at += 1)];
    if (value === undefined) throw wrong(`${word} needs a value`);
    const { fields, ...others } = read(value);
    changes = { ...changes, ...others, ...(fields && { fields: { ...changes.fields, ...fields } }) };
  }
  expectArguments("assets", USAGE, ["edit", ...places], 2, 2);
  return { place: places[0] as string, changes };
}

/** What the changes touch. Contract: closing or opening an asset is not an edit like others. */
export function changesOf({ text, fields }: AssetChanges, uri: string): Effect[] {
  if (text === undefined && fields === undefined) return [];
  return [{ action: fields?.readOnly === undefined ? "update" : "admin", target: uri }];
}

const READERS: ReadonlyMap<string, (value: string) => AssetChanges> = new Map<string, (value: string) => AssetChanges>([
  ["--text", (text) => ({ text })],
  ["--expected", (expected) => ({ expected })],
  ["--description", (text) => ({ fields: { description: text.replaceAll(/\s+/g, " ").trim() } })],
  [
    "--category",
    (category) => {
      if (CATEGORIES.includes(category)) return { fields: { category } };
      throw wrong(`${JSON.stringify(category)} is no category`, `Use one of: ${CATEGORIES.join(", ")}.`);
    },
  ],
  [
    "--read-only",
    (answer) => {
      if (answer === "yes" || answer === "no") return { fields: { readOnly: answer === "yes" } };
      throw wrong(`--read-only is yes or no, not ${JSON.stringify(answer)}`);
    },
  ],
]);

/** `--name=value` is one word. */
function splitOption(word: string): [string, string?] {
  const match = /^(--[a-z-]+)=([^]*)$/.exec(word);
  return match === null ? [word] : [match[1] as string, match[2] as string];
}

function wrong(message: string, hint = `Write /assets ${USAGE}`): IkigaiError {
  return new IkigaiError("invalid_input", message, { hint });
}
