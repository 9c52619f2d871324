import { createLanguage, type Language } from "./languages.ts";
import { type Token, tokenise } from "./tokenise.ts";

/** What a text is found by. */
export interface Analysis {
  /** How often each term occurs. */
  readonly terms: ReadonlyMap<string, number>;
  /** Words, without stop words and without names repeated as a whole. */
  readonly length: number;
}

/**
 * Turns text into terms, without stop words unless it has no other; those of a query are among those of an entry with the same text.
 *
 * Contract: `id` changes whenever the terms of some text would.
 */
export interface Analyser {
  readonly id: string;
  analyse(text: string): Analysis;
  /** The terms to look for, in the order of the text, with the words that gave them; pairs of characters stand for all of them. */
  words(text: string): Iterable<{ readonly term: string; readonly word: string }>;
}

export interface AnalyserOptions {
  /** Languages whose endings are removed, by English name; the first that changes a word wins. Default `["english"]`. */
  readonly languages?: readonly string[];
}

const VERSION = 3;

export function createAnalyser({ languages = ["english"] }: AnalyserOptions = {}): Analyser {
  const known = languages.map(createLanguage);
  // Stop words are terms only where there is nothing else.
  const all = function* (text: string): Generator<Token & { term: string; common?: true }> {
    const common = new Set<string>();
    let others = false;
    for (const token of tokenise(text)) {
      const term = termOf(token, known);
      if (term === undefined) {
        if (!others) common.add(token.text);
        continue;
      }
      others = true;
      yield { ...token, term };
    }
    if (!others) for (const word of common) yield { text: word, kind: "word", term: word, common: true };
  };
  return {
    id: `${VERSION}:${languages.join(",")}`,
    *words(text) {
      for (const { term, text: word, kind } of all(text)) if (kind !== "ideograph") yield { term, word };
    },
    analyse(text) {
      const terms = new Map<string, number>();
      let length = 0;
      for (const { term, kind, common } of all(text)) {
        terms.set(term, (terms.get(term) ?? 0) + 1);
        if (common !== true && kind !== "whole" && kind !== "ideograph") length += 1;
      }
      return { terms, length };
    },
  };
}

/** The analyser that an id names. Contract: one of another version gives the terms of this one. */
export function analyserOf(id: string): Analyser {
  const languages = id.slice(id.indexOf(":") + 1).split(",");
  return createAnalyser({ languages: languages.filter((name) => name !== "") });
}

function termOf(token: Token, languages: readonly Language[]): string | undefined {
  if (token.kind !== "word") return token.text;
  if (languages.some(({ stopWords }) => stopWords.has(token.text))) return undefined;
  const word = token.text.replace(/'s?$/, "").replaceAll("'", "");
  if (word === "" || (word !== token.text && languages.some(({ stopWords }) => stopWords.has(word)))) return undefined;
  for (const language of languages) {
    const stemmed = language.stem(word);
    if (stemmed !== word) return stemmed;
  }
  return word;
}
