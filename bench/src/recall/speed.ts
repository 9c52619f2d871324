import type { SqlClient } from "@ikigai/core/host";
import type { RecallStore } from "@ikigai/recall";
import { growArchive } from "./grow.ts";

/** Milliseconds of single inserts and searches once an archive has `entries` entries. */
export interface SpeedLine {
  readonly bench: "recall-speed";
  readonly system: string;
  readonly entries: number;
  readonly insert: { readonly p50: number; readonly p99: number };
  readonly search: { readonly p50: number; readonly p99: number };
  /** Resident memory of this process, in MB. */
  readonly rss: number;
}

const ROUNDS = 200;
const WORDS = 30_000;

/** Entries that are inserted one way or the other before the rest are copies of them. */
const INSERTED = 10_000;

/** Grows an archive to each size in turn and measures there. */
export async function* measureSpeed(
  system: string,
  store: RecallStore,
  client: SqlClient,
  sizes: readonly number[],
): AsyncGenerator<SpeedLine> {
  const random = createRandom(42);
  const word = (): string => `w${Math.floor(Math.exp(random() * Math.log(WORDS)))}x`;
  const text = (from: number, spread: number): string =>
    Array.from({ length: from + Math.floor(random() * spread) }, word).join(" ");
  const call = { owner: "speed" };
  let made = 0;
  const entry = (): { content: string; thread: string; order: number; occurredAt: Date } => {
    made += 1;
    const occurredAt = new Date(1.6e12 + made * 60_000);
    return { content: text(12, 16), thread: `t${Math.floor(made / 30)}`, order: made % 30, occurredAt };
  };
  for (const entries of sizes) {
    for (let missing = Math.min(INSERTED, entries - ROUNDS) - made; missing > 0; missing -= 500)
      await store.insert(Array.from({ length: Math.min(500, missing) }, entry), call);
    await growArchive(client, call.owner, entries - ROUNDS);
    await client.query("analyze");
    const insert = await times(ROUNDS, () => store.insert([entry()], call));
    // What autovacuum does on a server that runs for longer than a measurement.
    for (const table of ["recall_posting", "recall_entry"]) await client.query(`vacuum analyze ${table}`);
    await times(20, () => store.search({ query: text(3, 5) }, call));
    const search = await times(ROUNDS, () => store.search({ query: text(3, 5) }, call));
    yield { bench: "recall-speed", system, entries, insert, search, rss: Math.round(process.memoryUsage().rss / 1e6) };
  }
}

async function times(rounds: number, work: () => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    taken.push(performance.now() - start);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number): number => Math.round(100 * (taken[Math.floor(rounds * share)] ?? 0)) / 100;
  return { p50: at(0.5), p99: at(0.99) };
}

/** The same numbers on every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
