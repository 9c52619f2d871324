import { IkigaiError } from "@ikigai/core";
import type { Command } from "@ikigai/core/host";

// A quote opens at the beginning of a word; an apostrophe within a word is a letter of it.
const WORD = /"([^"\\]*(?:\\[^][^"\\]*)*)"|'([^']*)'|([^\s"'][^\s"]*)/g;
const ONE_QUOTED = /^"([^"\\]*(?:\\[^][^"\\]*)*)"$/;

/** A typed line as words: quotes keep spaces together. Contract: `invalid_input` for a quote that is never closed. */
export function commandWords(line: string): string[] {
  const words: string[] = [];
  let end = 0;
  for (const match of line.matchAll(WORD)) {
    if (line.slice(end, match.index).trim() !== "") throw unclosed(line);
    const [whole, double, single, bare] = match;
    words.push(double === undefined ? (single ?? (bare as string)) : unescape(double));
    end = match.index + whole.length;
  }
  if (line.slice(end).trim() !== "") throw unclosed(line);
  return words;
}

/**
 * What was typed after the name of a command, as its arguments.
 *
 * Contract: a command that takes a sentence gets it as it stands, without the spaces around it, and without the double
 * quotes when the whole of it is one quoted string; in that a backslash escapes a double quote or a backslash.
 */
export function commandArguments({ takesSentence }: Pick<Command, "takesSentence">, rest: string): string[] {
  if (takesSentence !== true) return commandWords(rest);
  const text = rest.trim();
  const quoted = ONE_QUOTED.exec(text)?.[1];
  const sentence = quoted === undefined ? text : unescape(quoted);
  return sentence === "" ? [] : [sentence];
}

/** The line that is split into these words again. */
export function commandLine(name: string, words: readonly string[]): string {
  return [`/${name}`, ...words.map((word) => `"${word.replaceAll(/["\\]/g, "\\$&")}"`)].join(" ");
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(["\\])/g, "$1");
}

function unclosed(line: string): IkigaiError {
  return new IkigaiError("invalid_input", `${JSON.stringify(line.slice(0, 80))} has a quote that is not closed`, {
    hint: "Close the quote, or write the text without quotes.",
  });
}
