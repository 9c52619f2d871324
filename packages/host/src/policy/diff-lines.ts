import { structuredPatch } from "diff";

/** Beyond so many changed lines a shorter difference is not looked for. */
const MOST_EDITS = 5_000;

/** What changes, line by line: all of it. Contract: not escaped. */
export function diffLines(before: string, after: string): readonly string[] {
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: MOST_EDITS });
  if (patch === undefined) return [...marked("-", before), ...marked("+", after)];
  return patch.hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ line ${oldStart} → ${newStart} @@`, ...lines]);
}

function marked(mark: string, text: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => `${mark}${line}`);
}
