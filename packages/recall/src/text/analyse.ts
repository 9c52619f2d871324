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
 * Turns text into terms; those of a query are among those of an entry with the same text.
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

const VERSION = 2;

export function createAnalyser({ languages = ["english"] }: AnalyserOptions = {}): Analyser {
  const known = languages.map(createLanguage);
  const all = function* (text: string): Generator<Token & { term: string }> {
    for (const token of tokenise(text)) {
      const term = termOf(token, known);
      if (term !== undefined) yield { ...token, term };
    }
  };
  return {
    id: `${VERSION}:${languages.join(",")}`,
    *words(text) {
      for (const { term, text: word, kind } of all(text)) if (kind !== "ideograph") yield { term, word };
    },
    analyse(text) {
      const terms = new Map<string, number>();
      let length = 0;
      for (const { term, kind } of all(text)) {
        terms.set(term, (terms.get(term) ?? 0) + 1);
        if (kind !== "whole" && kind !== "ideograph") length += 1;
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
