import { applyPatch, createTwoFilesPatch, parsePatch, type StructuredPatch } from "diff";
import { IkigaiError } from "@ikigai/core";

type Hunk = StructuredPatch["hunks"][number];

const HEADER = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)?)? ?(?:@@|\.\.\.)?/;
// Beyond this a difference is told as one hunk: the time it takes grows with the square.
const MAX_CHANGED_LINES = 1_000;
const MAX_COMPARISONS = 5_000_000;

/**
 * Applies a unified diff of one text.
 *
 * Contract: context and removed lines must stand in the text, at the given line or elsewhere; counts in the headers may
 * be wrong and numbers may be missing. Throws `invalid_input` for what is no patch or has no hunk, `conflict` when it
 * does not fit, `ambiguous` when a hunk without numbers fits several places.
 */
export function applyUnifiedPatch(text: string, patch: string, name: string): string {
  const hunks = strictHunks(patch) ?? lenientHunks(patch, text, name);
  const patched = applyPatch(text, { hunks } as StructuredPatch, {
    fuzzFactor: 0,
    compareLine: countingComparer(),
  });
  if (patched !== false) return patched;
  throw new IkigaiError("conflict", `The patch does not fit "${name}": its context or removed lines are not there`, {
    hint: "Read the block again and make the patch from its present text.",
  });
}

/** Equality that gives up where a long hunk is looked for in a long text of much the same lines. */
function countingComparer(): (line: number, present: string, operation: string, wanted: string) => boolean {
  let left = MAX_COMPARISONS;
  return (_, present, __, wanted) => {
    if (left-- > 0) return present === wanted;
    throw new IkigaiError("timeout", `The place of a hunk was not found within ${MAX_COMPARISONS} comparisons`, {
      hint: "Give the right line numbers, or less context.",
    });
  };
}

/** The unified diff from one text to another. Empty when they are the same. */
export function createUnifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) return "";
  const patch = createTwoFilesPatch(names.before, names.after, before, after, undefined, undefined, {
    maxEditLength: MAX_CHANGED_LINES,
  });
  if (patch !== undefined) return patch.replace(/^=+\n/, "");
  const body = [...marked("-", before), ...marked("+", after)].join("\n");
  const [removed, added] = [before, after].map((text) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0));
  return `--- ${names.before}\n+++ ${names.after}\n@@ -1,${removed} +1,${added} @@\n${body}\n`;
}

function marked(sign: string, text: string): string[] {
  const lines = text.split("\n");
  const closed = lines.at(-1) === "" && lines.pop() === "";
  return [...lines.map((line) => `${sign}${line}`), ...(closed ? [] : ["\\ No newline at end of file"])];
}

/** The hunks of a patch whose numbers are right. */
function strictHunks(patch: string): Hunk[] | undefined {
  try {
    const files = parsePatch(patch).filter(({ hunks }) => hunks.length > 0);
    if (files.length > 1) throw severalFiles(files.length);
    const hunks = files[0]?.hunks;
    return hunks?.every(({ oldStart }) => Number.isInteger(oldStart)) === true ? hunks : undefined;
  } catch (error) {
    if (IkigaiError.is(error)) throw error;
    return undefined;
  }
}

function lenientHunks(patch: string, text: string, name: string): Hunk[] {
  const hunks: Hunk[] = [];
  let open: Hunk | undefined;
  let files = 0;
  const lines = patch.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const [at, line] of lines.entries()) {
    const header = HEADER.exec(line);
    if (header !== null) {
      open = { oldStart: Number(header[1] ?? 0), oldLines: 0, newStart: 0, newLines: 0, lines: [] };
      hunks.push(open);
    } else if (isFileHeader(lines, at)) {
      open = undefined;
      if (line.startsWith("+++ ")) files++;
    } else if (open !== undefined) {
      open.lines.push(bodyLine(line, name));
    }
  }
  if (files > 1) throw severalFiles(files);
  if (hunks.every((hunk) => hunk.lines.length === 0)) {
    throw new IkigaiError("invalid_input", "The patch has no hunk, so there is nothing to apply", {
      hint: "Give a unified diff: @@ -line,count +line,count @@, then lines that begin with a space, - or +.",
    });
  }
  let shift = 0;
  return hunks.map((hunk) => {
    const counted = recount(hunk, text, name, shift);
    shift += counted.newLines - counted.oldLines;
    return counted;
  });
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  const [above, line, below] = [lines[at - 1] ?? "", lines[at] as string, lines[at + 1] ?? ""];
  if (line.startsWith("--- ")) return below.startsWith("+++ ");
  if (line.startsWith("+++ ")) return above.startsWith("--- ");
  return line.startsWith("diff --git ") || line.startsWith("index ");
}

/** Models leave out the space in front of an empty line. */
function bodyLine(line: string, name: string): string {
  if (line === "" || line === "\r") return ` ${line}`;
  if (/^[ +\-\\]/.test(line)) return line;
  throw new IkigaiError("invalid_input", `The patch of "${name}" has a line that begins with none of " ", "+", "-"`, {
    hint: `Mark this line: ${line.slice(0, 80)}`,
  });
}

function recount(hunk: Hunk, text: string, name: string, shift: number): Hunk {
  const oldLines = hunk.lines.filter((line) => line.startsWith(" ") || line.startsWith("-"));
  const newLines = hunk.lines.filter((line) => line.startsWith(" ") || line.startsWith("+"));
  const oldStart = hunk.oldStart === 0 ? locate(oldLines, text, name) : hunk.oldStart;
  return { ...hunk, oldStart, oldLines: oldLines.length, newStart: oldStart + shift, newLines: newLines.length };
}

/** The only place where these lines stand. */
function locate(wanted: readonly string[], text: string, name: string): number {
  if (wanted.length === 0) {
    throw new IkigaiError("ambiguous", `A hunk without line numbers or context fits anywhere in "${name}"`, {
      hint: "Add lines of context.",
    });
  }
  const clean = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
  const lines = text.split("\n").map(clean);
  const sought = wanted.map((line) => clean(line.slice(1)));
  const places = [...lines.keys()].filter((at) => sought.every((line, offset) => lines[at + offset] === line));
  const [first, second] = places;
  if (second === undefined) return (first ?? 0) + 1;
  throw new IkigaiError("ambiguous", `A hunk without line numbers fits several places in "${name}"`, {
    hint: "Add lines of context, or line numbers.",
  });
}

function severalFiles(count: number): IkigaiError {
  return new IkigaiError("invalid_input", `The patch changes ${count} files, and a block is one`, {
    hint: "Give one patch per block.",
  });
}
