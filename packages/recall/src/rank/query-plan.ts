import type { Analyser } from "../text/analyse.ts";
import { type FoundDates, findDates } from "../time/find-dates.ts";

/** What a query asks for, as far as its text says. */
export interface QueryPlan {
  /** Distinct terms with the first word that gave each, in the order of the query. */
  readonly terms: ReadonlyMap<string, string>;
  readonly dates: FoundDates;
  readonly asksWhen: boolean;
  /** Part of the query that was not looked at. */
  readonly unread?: string;
}

const ASKS_WHEN = /^\s*when\b|\b(?:what|which) (?:day|date|month|year|time)\b|\bhow long\b|\bsince when\b/i;
const MAX_READ = 100_000;

export function planQuery(query: string, analyser: Analyser, now: Date): QueryPlan {
  const text = query.slice(0, MAX_READ);
  const terms = new Map<string, string>();
  for (const { term, word } of analyser.words(text)) {
    if (!terms.has(term)) terms.set(term, word);
  }
  return {
    terms,
    dates: findDates(text, { now }),
    asksWhen: ASKS_WHEN.test(text.slice(0, 500)),
    ...(text.length < query.length && {
      unread: `only the first ${MAX_READ} of ${query.length} characters of the query were read`,
    }),
  };
}

/** A term that some entry has. */
export interface QueryTerm {
  readonly term: string;
  readonly word: string;
  readonly rarity: number;
  /** Number of entries that have the term, as far as the engine knows. */
  readonly found: number;
}

/** The most telling terms first; a bit mask has room for thirty. */
export const MAX_TERMS = 30;

export function chooseTerms(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  const byRarity = (a: QueryTerm, b: QueryTerm): number => b.rarity - a.rarity || (a.term < b.term ? -1 : 1);
  return terms.toSorted(byRarity).slice(0, MAX_TERMS);
}
