import { IkigaiError } from "@ikigai/core";

export interface VectorHit {
  readonly uri: string;
  /** Cosine, from -1 to 1. */
  readonly score: number;
}

/** Vectors of notes, compared one by one. */
export interface VectorIndex {
  version(uri: string): string | undefined;
  set(uri: string, version: string, vector: ArrayLike<number>): void;
  delete(uri: string): void;
  get(uri: string): Float32Array | undefined;
  /** Contract: a vector of another length is `invalid_input`. */
  search(vector: ArrayLike<number>, limit: number): VectorHit[];
  uris(): IterableIterator<string>;
}

export function createVectorIndex(dimensions: number): VectorIndex {
  const entries = new Map<string, { readonly version: string; readonly vector: Float32Array }>();

  function check(vector: ArrayLike<number>): void {
    if (isVector(vector, dimensions)) return;
    throw new IkigaiError("invalid_input", `The vector has ${vector.length} numbers, the index ${dimensions}`, {
      hint: "Use a vector of the same model as the index.",
    });
  }

  return {
    version: (uri) => entries.get(uri)?.version,
    set(uri, version, vector) {
      check(vector);
      entries.set(uri, { version, vector: unit(vector) });
    },
    delete: (uri) => void entries.delete(uri),
    get: (uri) => entries.get(uri)?.vector,
    search(vector, limit) {
      check(vector);
      const wanted = unit(vector);
      const hits = [...entries].map(([uri, entry]) => ({ uri, score: dot(wanted, entry.vector) }));
      return hits.toSorted((one, other) => other.score - one.score || (one.uri < other.uri ? -1 : 1)).slice(0, limit);
    },
    uris: () => entries.keys(),
  };
}

/** Whether these are as many finite numbers as a vector of the model has. */
export function isVector(vector: ArrayLike<number>, dimensions: number): boolean {
  return vector.length === dimensions && Array.prototype.every.call(vector, Number.isFinite);
}

function unit(vector: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let i = 0; i < vector.length; i += 1) squares += (vector[i] as number) ** 2;
  const length = Math.sqrt(squares);
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += (one[i] as number) * (other[i] as number);
  return sum;
}
