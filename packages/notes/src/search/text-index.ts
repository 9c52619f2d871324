/** A note that fits a search. */
export interface TextHit {
  readonly uri: string;
  readonly score: number;
}

/** Ranks texts by words (BM25). */
export interface TextIndex {
  /** The version that was indexed, if any. */
  version(uri: string): string | undefined;
  set(uri: string, version: string, weighted: readonly { readonly text: string; readonly weight: number }[]): void;
  delete(uri: string): void;
  search(query: string, limit: number): TextHit[];
  /** Texts that share rare words with `uri`, itself left out. Scores lie between 0 and 1. */
  similar(uri: string, limit: number): TextHit[];
  uris(): IterableIterator<string>;
}

interface Entry {
  readonly uri: string;
  readonly version: string;
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

const WORD = /[\p{L}\p{N}]+/gu;
const MAX_WORD = 64;
const MAX_WORDS_PER_NOTE = 200_000;
const SIMILAR_WORDS = 24;
const K1 = 1.2;
const B = 0.75;

export function createTextIndex(): TextIndex {
  const entries = new Map<string, Entry>();
  const postings = new Map<string, Map<string, number>>();
  let totalLength = 0;

  function rarity(word: string): number {
    const count = postings.get(word)?.size ?? 0;
    return Math.log(1 + (entries.size - count + 0.5) / (count + 0.5));
  }

  function score(words: Iterable<readonly [string, number]>): Map<string, number> {
    const average = totalLength / Math.max(1, entries.size);
    const scores = new Map<string, number>();
    for (const [word, weight] of words) {
      const idf = rarity(word) * weight;
      for (const [uri, count] of postings.get(word) ?? []) {
        const { length } = entries.get(uri) as Entry;
        const gain = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
        scores.set(uri, (scores.get(uri) ?? 0) + idf * gain);
      }
    }
    return scores;
  }

  const index: TextIndex = {
    version: (uri) => entries.get(uri)?.version,
    set(uri, version, weighted) {
      index.delete(uri);
      const words = new Map<string, number>();
      let length = 0;
      for (const { text, weight } of weighted) {
        for (const word of wordsOf(text)) {
          words.set(word, (words.get(word) ?? 0) + weight);
          length += 1;
          if (length > MAX_WORDS_PER_NOTE) break;
        }
      }
      for (const [word, count] of words) {
        const known = postings.get(word);
        if (known === undefined) postings.set(word, new Map([[uri, count]]));
        else known.set(uri, count);
      }
      entries.set(uri, { uri, version, words, length });
      totalLength += length;
    },
    delete(uri) {
      const entry = entries.get(uri);
      if (entry === undefined) return;
      for (const word of entry.words.keys()) {
        const known = postings.get(word) as Map<string, number>;
        known.delete(uri);
        if (known.size === 0) postings.delete(word);
      }
      entries.delete(uri);
      totalLength -= entry.length;
    },
    search(query, limit) {
      const words = new Set(wordsOf(query));
      return best(score([...words].map((word) => [word, 1] as const)), limit);
    },
    similar(uri, limit) {
      const entry = entries.get(uri);
      if (entry === undefined) return [];
      const telling = [...entry.words]
        .filter(([word]) => (postings.get(word) as Map<string, number>).size > 1)
        .map(([word, count]) => [word, count * rarity(word)] as const)
        .toSorted((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))
        .slice(0, SIMILAR_WORDS);
      const scores = score(telling.map(([word]) => [word, 1] as const));
      const own = scores.get(uri) ?? 1;
      scores.delete(uri);
      return best(scores, limit).map((hit) => ({ uri: hit.uri, score: Math.min(1, hit.score / own) }));
    },
    uris: () => entries.keys(),
  };
  return index;
}

/** The words of a text as they are compared: lower case, composed. */
export function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.normalize("NFC").toLowerCase().matchAll(WORD)) {
    yield word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word;
  }
}

function best(scores: ReadonlyMap<string, number>, limit: number): TextHit[] {
  return [...scores]
    .map(([uri, score]) => ({ uri, score }))
    .toSorted((one, other) => other.score - one.score || (one.uri < other.uri ? -1 : 1))
    .slice(0, limit);
}
