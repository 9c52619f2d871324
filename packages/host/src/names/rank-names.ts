import type { Fuzzysort, Prepared } from "fuzzysort";

/** Names by how well a few letters fit them. */
export interface NameRanking {
  add(name: string): void;
  /** Does now what the first searches would have to do; stops now and then. */
  prepare(): Generator<void>;
  /**
   * Gives the best names for a query that is not blank; stops now and then, so that others get a turn.
   *
   * Contract: the same as if all were scored and sorted by score, then length, then when they were added. Names that
   * are added meanwhile may be missing.
   */
  rank(query: string, limit: number): Generator<void, readonly string[], void>;
}

/** Names of one length, in the order in which they were added. */
interface NameGroup {
  readonly length: number;
  readonly names: string[];
  /** As many of them as were needed by now, made one after the other: what lies together is read faster. */
  readonly prepared: Prepared[];
  /** When each was added. */
  readonly order: number[];
  /** The first `size` of them in lower case, each with a line end. */
  lines: { readonly size: number; readonly text: string };
  /** Slices of the first `size` names that have one that fits a query. One that goes on from it fits none in the others. */
  fitting?: { readonly query: string; readonly size: number; readonly slices: readonly number[] };
}

/** Where a name comes among others. */
interface Rank {
  readonly score: number;
  readonly length: number;
  readonly order: number;
}

interface Best {
  /** Whether a name of this rank would be among the best. */
  takes(rank: Rank): boolean;
  add(name: string, rank: Rank): void;
  readonly names: readonly string[];
}

/** The highest score that a name of a length can have. */
interface Bounds {
  /** When it has the query in it. Contract: never higher for a longer name. */
  whole(length: number): number;
  /** When it has other characters between those of the query. */
  split(length: number): number;
}

/** Characters that count as what they are, and none that is read as another. */
const PLAIN = /^[ !#-[\]-_a-z{|}~]*$/i;
/** A longer query may have so many beginnings of words that it scores by other rules. */
const LONGEST_BOUNDED = 20;
/** Names that are scored at once. */
const SLICE = 64;

/** The functions of the library that scores names. */
type Scorer = Pick<Fuzzysort, "go" | "single" | "prepare">;

/** Scores only the names that could be among the best, by what a name of their length can have at most. */
export function createNameRanking(scorer: Scorer): NameRanking {
  const groups = new Map<number, NameGroup>();
  /** Names of any length with other characters. */
  const odd = createGroup(0);
  let added = 0;

  const byLength = (): NameGroup[] => [...groups.values()].toSorted((a, b) => a.length - b.length);

  return {
    add(name) {
      const group = PLAIN.test(name) ? (groups.get(name.length) ?? createGroup(name.length)) : odd;
      if (group !== odd) groups.set(name.length, group);
      group.names.push(name);
      group.order.push(added++);
    },
    *prepare() {
      for (const group of byLength()) {
        for (const from of steps(group.names.length)) {
          prepared(group, Math.min(from + SLICE, group.names.length), scorer);
          yield;
        }
      }
    },
    *rank(typed, limit) {
      const bounds = boundsOf(typed.trim().toLowerCase(), scorer);
      const query = bounds === undefined ? typed : typed.trim().toLowerCase();
      const search = { query, best: keepBest(limit), scorer };
      const { best } = search;
      yield* scoreEach(search, odd, Number.POSITIVE_INFINITY);
      for (const group of byLength()) {
        const { length } = group;
        if (bounds === undefined) {
          yield* scoreEach(search, group, Number.POSITIVE_INFINITY);
          continue;
        }
        if (length < query.length) continue;
        const whole = bounds.whole(length);
        if (!best.takes({ score: whole, length, order: 0 })) break;
        const stopped = yield* scoreEach(search, group, bounds.split(length));
        yield* scoreWhole(search, group, whole, stopped);
      }
      return best.names;
    },
  };
}

/** One search for the best names. */
interface Search {
  readonly query: string;
  readonly best: Best;
  readonly scorer: Scorer;
}

function prepared(group: NameGroup, size: number, { prepare }: Scorer): readonly Prepared[] {
  for (let at = group.prepared.length; at < size; at++) group.prepared.push(prepare(group.names[at] as string));
  return group.prepared;
}

/** Scores a few names of a length, in their order. Gives how many of them fit. */
function score(
  { query, best, scorer }: Search,
  few: readonly Prepared[],
  order: readonly number[],
  length: number,
): number {
  const { 0: first, total } = scorer.go(query, few, { limit: 1, threshold: 0 });
  // Looking at each is dear, and seldom needed.
  if (first === undefined || !best.takes({ score: first.score, length, order: order[0] as number })) return total;
  for (const [at, name] of few.entries()) {
    const found = scorer.single(query, name);
    const rank = { length: name.target.length, order: order[at] as number };
    if (found !== null) best.add(name.target, { score: found.score, ...rank });
  }
  return total;
}

/** Contract: stops, and gives the place, when a name that has at most `bound` from there on is not among the best. */
function* scoreEach(search: Search, group: NameGroup, bound: number): Generator<void, number> {
  const { query, best, scorer } = search;
  const { length, order, fitting: before } = group;
  const size = group.names.length;
  const bounded = bound < Number.POSITIVE_INFINITY;
  const known = bounded && before?.size === size && query.startsWith(before.query);
  const slices: number[] = [];
  for (const from of known ? before.slices : steps(size)) {
    if (!best.takes({ score: bound, length, order: order[from] as number })) return from;
    const end = Math.min(from + SLICE, size);
    const few = prepared(group, end, scorer).slice(from, end);
    if (score(search, few, order.slice(from, end), length) > 0) slices.push(from);
    yield;
  }
  if (bounded) group.fitting = { query, size, slices };
  return size;
}

/** The same for names with the query in them, beginning at a place. */
function* scoreWhole(search: Search, group: NameGroup, bound: number, begin: number): Generator<void, void> {
  const { query, best, scorer } = search;
  const { length, names } = group;
  if (begin >= names.length) return;
  if (group.lines.size !== names.length)
    group.lines = { size: names.length, text: names.map((name) => `${name.toLowerCase()}\n`).join("") };
  const { text } = group.lines;
  const line = length + 1;
  for (let at = begin * line; at !== -1;) {
    const few: Prepared[] = [];
    const order: number[] = [];
    while (few.length < SLICE && (at = text.indexOf(query, at)) !== -1) {
      const place = Math.floor(at / line);
      few.push(prepared(group, place + 1, scorer)[place] as Prepared);
      order.push(group.order[place] as number);
      at = (place + 1) * line;
    }
    if (order[0] === undefined || !best.takes({ score: bound, length, order: order[0] })) return;
    score(search, few, order, length);
    yield;
  }
}

function steps(size: number): number[] {
  return Array.from({ length: Math.ceil(size / SLICE) }, (_, step) => step * SLICE);
}

function createGroup(length: number): NameGroup {
  return { length, names: [], prepared: [], order: [], lines: { size: 0, text: "" } };
}

function keepBest(limit: number): Best {
  const best: (Rank & { readonly name: string })[] = [];
  const before = (a: Rank, b: Rank): boolean =>
    a.score !== b.score ? a.score > b.score : a.length !== b.length ? a.length < b.length : a.order < b.order;
  const takes = (rank: Rank): boolean => {
    const last = best.at(-1);
    return last === undefined || best.length < limit || before(rank, last);
  };
  return {
    takes,
    add(name, rank) {
      if (!takes(rank)) return;
      let at = best.length;
      while (at > 0 && before(rank, best[at - 1] as Rank)) at--;
      best.splice(at, 0, { name, ...rank });
      if (best.length > limit) best.pop();
    },
    get names() {
      return best.map(({ name }) => name);
    },
  };
}

const BETWEEN = ["/", "-", ".", "_", "#"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz".split("");

/**
 * The scores of names that fit a query as well as possible. With the query at the beginning and the end of a word
 * behind it only the length counts. Of names without it the best has one gap, behind the first character.
 *
 * Contract: `undefined` for a query that is scored in other ways.
 */
export function boundsOf(
  query: string,
  { single, prepare }: Pick<Fuzzysort, "single" | "prepare">,
): Bounds | undefined {
  const rest = query.slice(1);
  const filler = LETTERS.find((letter) => !query.includes(letter));
  const gap = BETWEEN.find((mark) => !query.includes(mark));
  if (!PLAIN.test(query) || query.includes(" ") || query.length > LONGEST_BOUNDED) return undefined;
  if (filler === undefined || gap === undefined) return undefined;
  const scoreOf = (name: string): number => single(query, prepare(name))?.score ?? 0;
  // A letter or digit begins a word behind a mark, and a mark does so anywhere.
  const between = /^[a-z0-9]/.test(rest) ? gap : filler;
  const whole = (length: number): number =>
    scoreOf(length === query.length ? query : `${query}${gap}`.padEnd(length, filler));
  return {
    whole,
    split(length) {
      // Of one character there is nothing between, and most names have it: looking for it would gain nothing.
      if (rest === "") return whole(length);
      if (length === query.length) return Number.NEGATIVE_INFINITY;
      return scoreOf(`${query[0]}${between}${rest}`.padEnd(length, filler));
    },
  };
}
