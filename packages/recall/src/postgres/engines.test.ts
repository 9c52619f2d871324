import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewEntry, RecallStore } from "../contract.ts";
import { embedPending } from "../embed/embed-pending.ts";
import { createMemoryRecall } from "../memory/memory-recall.ts";
import { createWordEmbedder } from "../testing/word-embedder.ts";
import { createPostgresRecall } from "./postgres-recall.ts";
import { reindexRecall } from "./reindex.ts";
import { createVectorIndex } from "./vector-index.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

const ME = { owner: "ann", now: new Date("2024-06-15T12:00:00Z") };
const NAMES = ["Ann", "Ben", "Cleo"];
const THINGS = "garden puppy concert lasagne bicycle novel guitar marathon pottery camping".split(" ");
const VERBS = "bought lost painted loved forgot planned sold borrowed".split(" ");

/** Sixty short conversations, made up the same way every time. */
const CHATS: readonly NewEntry[] = Array.from({ length: 360 }, (_, i) => {
  const pick = (from: readonly string[], salt: number): string =>
    from[(i * salt + Math.floor(i / 7)) % from.length] as string;
  const text = `${pick(NAMES, 1)}: I ${pick(VERBS, 3)} the ${pick(THINGS, 7)}${i % 5 === 0 ? " yesterday" : ""}${i % 4 === 0 ? "?" : "."} ${i}`;
  const occurredAt = new Date(Date.UTC(2023, Math.floor(i / 30), 1 + (Math.floor(i / 6) % 5) * 5, 12));
  return { content: text, thread: `s${Math.floor(i / 6)}`, order: i % 6, occurredAt };
});
const QUERIES = [
  "When did Ann buy the bicycle?",
  "puppy",
  "What did Ben lose in May 2023?",
  "the concert that Cleo loved",
  "pottery and camping",
  "what happened on 1 March 2023",
  "novel 17",
  "guitar last December",
];

async function order(store: RecallStore, query: string): Promise<unknown[]> {
  return (await store.search({ query, limit: 25 }, ME)).map(({ content, score, why }) => [content, score, why]);
}

describe("engines", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  test("memory and PostgreSQL give the same order, scores and reasons, with and without meaning", async () => {
    await database.fresh();
    const embedder = createWordEmbedder(["bicycle bike", "puppy dog"]);
    const stores = [createMemoryRecall({ embedder }), createPostgresRecall(database.client, { embedder })];
    const plain = [createMemoryRecall(), createPostgresRecall(database.client)];
    for (const store of [stores[0], stores[1], plain[0]]) await store?.insert(CHATS, ME);
    for (const query of QUERIES) {
      expect([query, await order(plain[1] as RecallStore, query)]).toEqual([
        query,
        await order(plain[0] as RecallStore, query),
      ]);
    }
    for (const { embedding } of stores) if (embedding !== undefined) await embedPending(embedding, { batch: 100 });
    for (const query of [...QUERIES, "dog", "bike"]) {
      expect([query, await order(stores[1] as RecallStore, query)]).toEqual([
        query,
        await order(stores[0] as RecallStore, query),
      ]);
    }
  });

  test("memory and PostgreSQL give the same order among many that have the words", async () => {
    await database.fresh();
    const stores = [createMemoryRecall(), createPostgresRecall(database.client)];
    const many = Array.from({ length: 900 }, (_, i) => ({
      content: `garden ${i % 3 === 0 ? "puppy " : ""}${"plot ".repeat((i * 7) % 23)}${i}`,
    }));
    for (const store of stores) await store.insert(many, ME);
    for (const query of ["garden", "garden plot", "a puppy in the garden", "plot 17"]) {
      const [memory, postgres] = await Promise.all(stores.map((store) => order(store, query)));
      expect([query, memory]).toEqual([query, postgres]);
    }
  });

  test("reading every posting and looking common words up give the same order", async () => {
    await database.fresh();
    const whole = createPostgresRecall(database.client);
    const bounded = createPostgresRecall(database.client, { readLimit: 400 });
    await whole.insert(CHATS, ME);
    const probing: unknown[] = [];
    const spied = { ...database.client, query: spy };
    const seen = createPostgresRecall(spied, { readLimit: 400 });
    for (const query of [...QUERIES, "Ann bicycle", "puppy ben", "camping that Cleo loved"]) {
      expect([query, (await order(bounded, query)).slice(0, 10)]).toEqual([
        query,
        (await order(whole, query)).slice(0, 10),
      ]);
      await order(seen, query);
    }
    // The second path was taken: words were looked up for the best entries.
    expect(probing.length).toBeGreaterThan(3);

    function spy<Row>(text: string, values?: readonly unknown[]): ReturnType<typeof database.client.query<Row>> {
      const caps = text.includes("recall_pool") ? values?.[5] : "";
      if (/\b0\b/.test(caps as string)) probing.push(values);
      return database.client.query<Row>(text, values);
    }
  });

  test("a search with conditions that all entries meet gives the order of one without", async () => {
    await database.fresh();
    const embedder = createWordEmbedder(["bicycle bike", "puppy dog"]);
    const stores = [createPostgresRecall(database.client), createPostgresRecall(database.client, { embedder })];
    await stores[1]?.insert(CHATS, ME);
    const { embedding } = stores[1] as RecallStore;
    if (embedding !== undefined) await embedPending(embedding, { batch: 100 });
    for (const store of stores) {
      for (const query of [...QUERIES, "dog", "first week of April 2023 camping"]) {
        const plain = await store.search({ query, limit: 25 }, ME);
        expect([query, await store.search({ query, limit: 25, since: new Date(0) }, ME)]).toEqual([query, plain]);
      }
    }
  });

  test("what was planned on an empty archive reads no more than it needs once the archive has grown", async () => {
    await database.fresh();
    const store = createPostgresRecall(database.client);
    for (let i = 0; i < 8; i++) {
      await store.search({ query: "garden" }, ME);
      await store.insert([{ content: `early ${i}` }], ME);
    }
    for (let at = 0; at < 3_000; at += 500) {
      const words = (i: number): string => `common w${i} v${i % 60}`;
      await store.insert(
        Array.from({ length: 500 }, (_, i) => ({ content: words(at + i), thread: `t${(at + i) >> 4}` })),
        ME,
      );
    }
    const read = async (work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> => {
      const before = await tuplesRead();
      await work();
      const after = await tuplesRead();
      return Object.fromEntries(after.map(([name, count]) => [name, count - (new Map(before).get(name) ?? 0)]));
    };
    const searched = await read(() => store.search({ query: "v7 w7" }, ME));
    // Fifty-one postings, counted once and read once.
    expect(searched["recall_posting_pkey"]).toBeGreaterThan(51);
    expect(searched["recall_posting_pkey"]).toBeLessThanOrEqual(4 * 51);
    expect(searched["recall_entry_pkey"]).toBeLessThanOrEqual(40 + 5 * 40 + 10);
    expect(searched["recall_entry_thread"]).toBeLessThanOrEqual(4 * 40);
    for (const other of ["scan", "at", "identity", "old", "address"]) expect(searched[`recall_entry_${other}`]).toBe(0);
    const inserted = await read(() => store.insert([{ content: "common and new" }], ME));
    for (const [name, count] of Object.entries(inserted))
      if (name !== "recall_count_pkey") expect([name, count]).toEqual([name, 0]);

    async function tuplesRead(): Promise<readonly (readonly [string, number])[]> {
      await database.client.query("select pg_stat_force_next_flush()");
      const { rows } = await database.client.query<{ name: string; count: number }>(
        `select indexrelname as name, idx_tup_read::int as count from pg_stat_user_indexes where indexrelname like 'recall%'`,
      );
      return rows.map(({ name, count }) => [name, count]);
    }
  });

  test("new entries are stored by one statement, what is known takes more and is told", async () => {
    await database.fresh();
    const statements: string[] = [];
    const store = createPostgresRecall({
      ...database.client,
      query<Row>(text: string, values?: readonly unknown[]) {
        statements.push(text);
        return database.client.query<Row>(text, values);
      },
    });
    const placed = { content: "placed", thread: "t", order: 1 };
    const stored = await store.insert(
      [{ content: "first" }, { content: "second" }, { content: "second" }, placed, { ...placed, order: 2 }],
      ME,
    );
    expect(stored.map(({ id, stored: isNew }) => [id, isNew])).toEqual([
      ["1", true],
      ["2", true],
      ["2", false],
      ["3", true],
      ["4", true],
    ]);
    expect(statements).toHaveLength(1);
    // Nothing of a batch is stored by the first statement when one of its texts is known, so ids have no gaps.
    const mixed = await store.insert([{ content: "third" }, { content: "- first" }, placed, placed], ME);
    expect(mixed).toEqual([
      { id: "5", stored: true },
      { id: "1", stored: false, recognised: "recalled_text" },
      { id: "3", stored: false, recognised: "same_content" },
      { id: "3", stored: false, recognised: "same_content" },
    ]);
    const fresh = { content: "fourth", thread: "t", order: 9 };
    expect(await store.insert([fresh, fresh], ME)).toEqual([
      { id: "6", stored: true },
      { id: "6", stored: false, recognised: "same_content" },
    ]);
  });

  test("a new model embeds everything anew and never meets the old vectors", async () => {
    await database.fresh();
    const first = createPostgresRecall(database.client, { embedder: createWordEmbedder(["car automobile"]) });
    await first.insert([{ content: "an automobile" }, { content: "some soup" }], ME);
    if (first.embedding !== undefined) await embedPending(first.embedding);
    const embedder = createWordEmbedder(["soup broth"], { id: "other", dimensions: 64 });
    const second = createPostgresRecall(database.client, { embedder });
    expect(await second.status(ME)).toEqual({ entries: 2, embedded: 0, model: "other" });
    expect(await second.search({ query: "car" }, ME)).toEqual([]);
    const one = await second.embedding?.embedNext(1);
    expect(one).toEqual({ embedded: 1, remaining: 1 });
    expect(await second.embedding?.embedNext(5)).toEqual({ embedded: 1, remaining: 0 });
    expect((await second.search({ query: "broth" }, ME))[0]?.content).toBe("some soup");
    expect((await first.status(ME)).embedded).toBe(0);
  });

  test("after a change of languages the index is brought up to date, in steps", async () => {
    await database.fresh();
    const english = createPostgresRecall(database.client);
    await english.insert(
      [{ content: "viele Häuser", metadata: { speaker: "Jörg" } }, { content: "ein Haus" }, { content: "nichts" }],
      ME,
    );
    const german = createPostgresRecall(database.client, { languages: ["german"] });
    const done: number[] = [];
    const options = { languages: ["german"], batch: 2, onProgress: (count: number) => void done.push(count) };
    expect(await reindexRecall(database.client, options)).toBe(3);
    expect(done).toEqual([2, 3]);
    expect(await reindexRecall(database.client, { languages: ["german"] })).toBe(0);
    expect(await german.search({ query: "Haus" }, ME)).toHaveLength(2);
    const { rows } = await database.client.query<{ n: number }>(
      "select count(*)::int as n from recall_posting where entry = 1",
    );
    expect(rows[0]?.n).toBe(2 + 1);
    await english.erase("1", { by: "ann" }, ME);
    const left = await database.client.query<{ n: number }>(
      "select count(*)::int as n from recall_posting where entry = 1",
    );
    expect(left.rows[0]?.n).toBe(0);
  });

  test("nothing of an erased entry is left in any table", async () => {
    await database.fresh();
    const embedder = createWordEmbedder();
    const store = createPostgresRecall(database.client, { embedder });
    const [inserted] = await store.insert(
      [{ content: "Call 5550199 now", metadata: { n: "5550199" }, thread: "5550199" }],
      ME,
    );
    if (store.embedding !== undefined) await embedPending(store.embedding);
    await store.erase(inserted?.id ?? "", { by: "ann" }, ME);
    const { rows } = await database.client.query<{ text: string }>(
      "select e::text as text from recall_entry e union all select v::text from recall_vector v union all select p::text from recall_posting p",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.text).not.toContain("555");
  });

  test("where pgvector is there, an index finds the same", async () => {
    await database.fresh();
    const embedder = createWordEmbedder(["bicycle bike", "puppy dog"], { id: "o'words", dimensions: 128 });
    const plain = createPostgresRecall(database.client, { embedder });
    await plain.insert(CHATS, ME);
    await plain.insert([{ content: "another owner's dog" }], { owner: "ben" });
    if (plain.embedding !== undefined) await embedPending(plain.embedding, { batch: 200 });
    expect(await createVectorIndex(database.client, embedder, { worthwhile: 10 })).toBe(false);
    await database.addVectors();
    expect(await createVectorIndex(database.client, embedder)).toBe(false);
    expect(await createVectorIndex(database.client, embedder, { worthwhile: 10 })).toBe(true);
    expect(await createVectorIndex(database.client, embedder)).toBe(true);
    const indexed = createPostgresRecall(database.client, { embedder });
    for (const query of ["dog", "a bike"]) {
      expect((await order(indexed, query)).slice(0, 5)).toEqual((await order(plain, query)).slice(0, 5));
      expect(await indexed.search({ query, until: new Date("2023-01-01") }, ME)).toEqual([]);
    }
  });
});
