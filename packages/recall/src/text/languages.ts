import { IkigaiError } from "@ikigai/core";
import snowball from "snowball-stemmers";
import { STOP_WORDS } from "./stop-words.ts";

/** How the words of one language are brought to a common form. */
export interface Language {
  readonly name: string;
  readonly stopWords: ReadonlySet<string>;
  stem(word: string): string;
}

const MAX_CACHED_STEMS = 20_000;

/**
 * A language by its English name, such as `english` or `german`; `none` leaves words as they are.
 *
 * Contract: `invalid_input` for a language that is not known.
 */
export function createLanguage(name: string): Language {
  if (name === "none") return { name, stopWords: new Set(), stem: (word) => word };
  if (!snowball.algorithms().includes(name)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(name)} is not a language that recall knows`, {
      hint: `Use none, ${snowball.algorithms().join(", ")}.`,
    });
  }
  const stemmer = snowball.newStemmer(name);
  const stems = new Map<string, string>();
  return {
    name,
    stopWords: new Set(STOP_WORDS[name] ?? []),
    stem(word) {
      const known = stems.get(word);
      if (known !== undefined) return known;
      const stem = stemmer.stem(word);
      if (stems.size >= MAX_CACHED_STEMS) stems.clear();
      stems.set(word, stem);
      return stem;
    },
  };
}
