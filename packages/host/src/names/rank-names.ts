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
interface Shelf {
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

/** Scores only the names that could be among the best, by what a name of their length can have at most. */
export function createNameRanking(fuzzysort: Pick<Fuzzysort, "go" | "single" | "prepare">): NameRanking {
  const shelves = new Map<number, Shelf>();
  /** Names of any length with other characters. */
  const odd = createShelf(0);
  let added = 0;

  const byLength = (): Shelf[] => [...shelves.values()].toSorted((a, b) => a.length - b.length);

  function prepared(shelf: Shelf, size: number): readonly Prepared[] {
    for (let at = shelf.prepared.length; at < size; at++)
      shelf.prepared.push(fuzzysort.prepare(shelf.names[at] as string));
    return shelf.prepared;
  }

  /** Scores a few names of a length, in their order. Gives how many of them fit. */
  function score(
    query: string,
    few: readonly Prepared[],
    order: readonly number[],
    length: number,
    best: Best,
  ): number {
    const { 0: first, total } = fuzzysort.go(query, few, { limit: 1, threshold: 0 });
    // Looking at each is dear, and seldom needed.
    if (first === undefined || !best.takes({ score: first.score, length, order: order[0] as number })) return total;
    for (const [at, name] of few.entries()) {
      const found = fuzzysort.single(query, name);
      const rank = { length: name.target.length, order: order[at] as number };
      if (found !== null) best.add(name.target, { score: found.score, ...rank });
    }
    return total;
  }

  /** Contract: stops, and gives the place, when a name that has at most `bound` from there on is not among the best. */
  function* scoreEach(query: string, shelf: Shelf, best: Best, bound: number): Generator<void, number> {
    const { length, order, fitting: before } = shelf;
    const size = shelf.names.length;
    const bounded = bound < Number.POSITIVE_INFINITY;
    const known = bounded && before?.size === size && query.startsWith(before.query);
    const slices: number[] = [];
    for (const from of known ? before.slices : steps(size)) {
      if (!best.takes({ score: bound, length, order: order[from] as number })) return from;
      const end = Math.min(from + SLICE, size);
      const few = prepared(shelf, end).slice(from, end);
      if (score(query, few, order.slice(from, end), length, best) > 0) slices.push(from);
      yield;
    }
    if (bounded) shelf.fitting = { query, size, slices };
    return size;
  }

  /** The same for names with the query in them, beginning at a place. */
  function* scoreWhole(query: string, shelf: Shelf, best: Best, bound: number, begin: number): Generator<void, void> {
    const { length, names } = shelf;
    if (begin >= names.length) return;
    if (shelf.lines.size !== names.length)
      shelf.lines = { size: names.length, text: names.map((name) => `${name.toLowerCase()}\n`).join("") };
    const { text } = shelf.lines;
    const line = length + 1;
    for (let at = begin * line; at !== -1;) {
      const few: Prepared[] = [];
      const order: number[] = [];
      while (few.length < SLICE && (at = text.indexOf(query, at)) !== -1) {
        const place = Math.floor(at / line);
        few.push(prepared(shelf, place + 1)[place] as Prepared);
        order.push(shelf.order[place] as number);
        at = (place + 1) * line;
      }
      if (order[0] === undefined || !best.takes({ score: bound, length, order: order[0] })) return;
      score(query, few, order, length, best);
      yield;
    }
  }

  return {
    add(name) {
      const shelf = PLAIN.test(name) ? (shelves.get(name.length) ?? createShelf(name.length)) : odd;
      if (shelf !== odd) shelves.set(name.length, shelf);
      shelf.names.push(name);
      shelf.order.push(added++);
    },
    *prepare() {
      for (const shelf of byLength()) {
        for (const from of steps(shelf.names.length)) {
          prepared(shelf, Math.min(from + SLICE, shelf.names.length));
          yield;
        }
      }
    },
    *rank(typed, limit) {
      const bounds = boundsOf(typed.trim().toLowerCase(), fuzzysort);
      const query = bounds === undefined ? typed : typed.trim().toLowerCase();
      const best = keepBest(limit);
      yield* scoreEach(query, odd, best, Number.POSITIVE_INFINITY);
      for (const shelf of byLength()) {
        const { length } = shelf;
        if (bounds === undefined) {
          yield* scoreEach(query, shelf, best, Number.POSITIVE_INFINITY);
          continue;
        }
        if (length < query.length) continue;
        const whole = bounds.whole(length);
        if (!best.takes({ score: whole, length, order: 0 })) break;
        const stopped = yield* scoreEach(query, shelf, best, bounds.split(length));
        yield* scoreWhole(query, shelf, best, whole, stopped);
      }
      return best.names;
    },
  };
}

function steps(size: number): number[] {
  return Array.from({ length: Math.ceil(size / SLICE) }, (_, step) => step * SLICE);
}

function createShelf(length: number): Shelf {
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
