import { structuredPatch } from "diff";

/** Changed lines beyond which no shorter difference is looked for. */
const MOST_EDITS = 5_000;

/** The whole difference of two texts, line by line. Contract: not escaped. */
export function diffLines(before: string, after: string): readonly string[] {
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: MOST_EDITS });
  if (patch === undefined) return [...marked("-", before), ...marked("+", after)];
  return patch.hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ line ${oldStart} → ${newStart} @@`, ...lines]);
}

function marked(mark: string, text: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => `${mark}${line}`);
}
