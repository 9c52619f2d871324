import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import type { Embedder, SqlClient } from "@ikigai/core/host";
import {
  createEnergeticEmbedder,
  createMemoryRecall,
  createPostgresRecall,
  embedPending,
  type NewEntry,
  recallMigrations,
  type RecallStore,
} from "@ikigai/recall";
import MiniSearch from "minisearch";

/** A text to be found, by a name of its own. */
export interface Text extends NewEntry {
  readonly name: string;
}

/** Something that is measured: takes texts, answers queries with their names, best first. */
export interface System {
  readonly name: string;
  load(texts: readonly Text[]): Promise<(query: string, limit: number) => Promise<readonly string[]>>;
}

/** BM25 of a known library, with the same endings and stop words removed as ours. */
export function minisearchSystem(): System {
  const { newStemmer } = createRequire(import.meta.url)("snowball-stemmers") as {
    newStemmer(language: string): { stem(word: string): string };
  };
  const stemmer = newStemmer("english");
  const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const tokenize = (text: string): string[] =>
    words(text)
      .filter((word) => !STOP.has(word))
      .map((word) => stemmer.stem(word));
  return {
    name: "minisearch with stemming",
    async load(texts) {
      const index = new MiniSearch<{ id: number; content: string }>({
        fields: ["content"],
        tokenize,
        processTerm: (term) => term,
      });
      index.addAll(texts.map(({ content }, id) => ({ id, content })));
      return async (query, limit) =>
        index
          .search(query)
          .slice(0, limit)
          .map(({ id }) => texts[id as number]?.name ?? "");
    },
  };
}

const STOP: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can cannot could
   did do does doing don down during each few for from further had has have having he her here hers herself him himself his how i if in
   into is it its itself let ll me more most my myself no nor not of off on once only or other ought our ours ourselves out over own re s
   same she should so some such t than that the their theirs them themselves then there these they this those through to too under until
   up ve very was we were what when where which while who whom why with would you your yours yourself yourselves d m`.split(
    /\s+/,
  ),
);

/** One of our stores; with an embedder, ranking is hybrid. */
export function ourSystem(name: string, open: () => Promise<RecallStore>): System {
  let owners = 0;
  return {
    name,
    async load(texts) {
      const store = await open();
      owners += 1;
      const call = { owner: `bench-${owners}` };
      const names = new Map<string, string>();
      for (let at = 0; at < texts.length; at += 200) {
        const batch = texts.slice(at, at + 200);
        const results = await store.insert(
          batch.map(({ name: _, ...entry }) => entry),
          call,
        );
        for (const [i, { id }] of results.entries()) if (!names.has(id)) names.set(id, batch[i]?.name ?? "");
      }
      if (store.embedding !== undefined) await embedPending(store.embedding);
      return async (query, limit) => (await store.search({ query, limit }, call)).map(({ id }) => names.get(id) ?? "");
    },
  };
}

/** Nearest by the angle between vectors, nothing else. */
export function vectorSystem(embedder: Embedder): System {
  return {
    name: "vectors alone",
    async load(texts) {
      const vectors = await embedder.embed(texts.map(({ content }) => content));
      return async (query, limit) => {
        const [asked = new Float32Array()] = await embedder.embed([query]);
        const near = vectors.map((vector, i) => ({ i, score: angle(vector, asked) }));
        near.sort((a, b) => b.score - a.score);
        return near.slice(0, limit).map(({ i }) => texts[i]?.name ?? "");
      };
    },
  };
}

function angle(a: Float32Array, b: Float32Array): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += (a[i] as number) * (b[i] as number);
    ofA += (a[i] as number) ** 2;
    ofB += (b[i] as number) ** 2;
  }
  return dot / Math.sqrt(ofA * ofB || 1);
}

export function memoryStore(embedder?: Embedder): Promise<RecallStore> {
  return Promise.resolve(createMemoryRecall(embedder === undefined ? {} : { embedder }));
}

/** The embedded PostgreSQL, in this process. */
export async function embeddedClient(): Promise<SqlClient> {
  const engine = await PGlite.create();
  const client: SqlClient = {
    query: (text, values) => engine.query(text, values as unknown[]),
    transaction: (work) =>
      engine.transaction((tx) => work({ query: (text, values) => tx.query(text, values as unknown[]) })),
  };
  for (const { sql } of recallMigrations) await engine.exec(sql);
  return client;
}

/** A server that is running; everything happens in a schema that is dropped before and after. */
export async function serverClient(url: string): Promise<SqlClient & { close(): Promise<void> }> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: url, max: 4, options: "-c search_path=recall_bench" });
  pool.on("error", () => {});
  await pool.query("drop schema if exists recall_bench cascade");
  await pool.query("create schema recall_bench");
  for (const { sql } of recallMigrations) await pool.query(sql);
  return {
    query: async (text, values) => pool.query(text, values as unknown[]) as never,
    async transaction(work) {
      const connection = await pool.connect();
      try {
        await connection.query("begin");
        const result = await work({
          query: async (text, values) => connection.query(text, values as unknown[]) as never,
        });
        await connection.query("commit");
        return result;
      } catch (error) {
        await connection.query("rollback");
        throw error;
      } finally {
        connection.release();
      }
    },
    async close() {
      await pool.query("drop schema if exists recall_bench cascade");
      await pool.end();
    },
  };
}

/** Embeds each text once, however many systems ask. */
export function cachedEmbedder(
  onProgress: (done: number) => void,
  embedder: Embedder = createEnergeticEmbedder({ packages: fileURLToPath(new URL(".", import.meta.url)) }),
): Embedder {
  const known = new Map<string, Float32Array>();
  return {
    ...embedder,
    async embed(texts, signal) {
      const missing = [...new Set(texts.filter((text) => !known.has(text)))];
      for (let at = 0; at < missing.length; at += 32) {
        const batch = missing.slice(at, at + 32);
        const vectors = await embedder.embed(batch, signal);
        for (const [i, text] of batch.entries()) known.set(text, vectors[i] as Float32Array);
        if (Math.floor(known.size / 500) > Math.floor((known.size - batch.length) / 500)) onProgress(known.size);
      }
      return texts.map((text) => known.get(text) as Float32Array);
    },
  };
}

export function postgresStore(client: SqlClient, embedder?: Embedder): Promise<RecallStore> {
  return Promise.resolve(createPostgresRecall(client, embedder === undefined ? {} : { embedder }));
}
