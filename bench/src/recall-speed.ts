import { appendFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMemoryRecall, createPostgresRecall, type RecallStore } from "@ikigai/recall";
import { createWriter } from "./data.ts";
import { openEngines } from "./engines.ts";
import { compare, type Line, type Side } from "./line.ts";
import { startMemory } from "./mcp-client.ts";
import { openPeers } from "./peers.ts";
import { growArchive } from "./recall/grow.ts";
import { type Temporary, withTemporary } from "./temporary.ts";

/** Something that keeps texts and finds them again. */
interface Archive {
  readonly name: string;
  readonly role: "ours" | "peer";
  readonly guarantee: string;
  /** What a search promises. */
  readonly answers: string;
  insert(texts: readonly string[]): Promise<unknown> | unknown;
  search(query: string): Promise<unknown> | unknown;
  /** Done once after many inserts. */
  settle?(): Promise<unknown>;
  /** Brings it to a size, quicker than by inserting. Absent: everything is inserted. */
  grow?(size: number): Promise<unknown>;
  /** The largest size at which it is measured. */
  readonly upTo: number;
  /** The processes that do the work, when it is not this one. */
  pids?(): Promise<readonly number[]>;
}

type Run = (words: string) => Promise<unknown> | unknown;

const OWNER = "bench";
const RANKED = "four words, every match ranked in this process's memory";
const IN_MEMORY = "none: gone with the process";
const STEP = 500;
/** From here on an archive that can be grown is not filled by inserting. */
const INSERTED = 10_000;
const IN_PROCESS_MOST = 100_000;
const SERVER_MOST = 1_000_000;
/** It reads and writes its whole file for every call. */
const MEMORY_SERVER_MOST = 30_000;

/** How inserting into and searching the archive grows, against search libraries in memory. */
export async function benchRecall(quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const archives: Archive[] = [
      await minisearch(),
      await orama(),
      await serverMemory(temporary),
      ours("recall in memory", createMemoryRecall(), IN_MEMORY),
    ];
    for (const { name, database, pids } of await openEngines(temporary)) {
      const store = createPostgresRecall(database);
      archives.push({
        ...ours(`recall, ${name}`, store, "durable, immutable, each content once"),
        upTo: name === "server" ? SERVER_MOST : IN_PROCESS_MOST,
        grow: (size) => growArchive(database, OWNER, size),
        pids,
        async settle() {
          for (const table of ["recall_posting", "recall_entry"]) await database.query(`vacuum analyze ${table}`);
        },
      });
    }
    const write = createWriter(42);
    const lines: Line[] = [];
    const rounds = quick ? 20 : 200;
    let made = 0;
    for (const size of quick ? [100, 300, 1_000, 3_000] : [1_000, 3_000, 10_000, 30_000, 100_000, SERVER_MOST]) {
      const measured = archives.filter(({ upTo }) => size <= upTo);
      const filled = measured.filter(({ grow }) => size <= INSERTED || grow === undefined);
      for (; made < size && filled.length > 0; made += STEP) {
        const texts = Array.from({ length: Math.min(STEP, size - made) }, () => write(20));
        for (const archive of filled) await archive.insert(texts);
      }
      made = size;
      for (const archive of measured) if (!filled.includes(archive)) await archive.grow?.(size);
      for (const archive of measured) await archive.settle?.();
      const entries = size.toLocaleString("en");
      // Each is given the same words, in the same order.
      const side = (archive: Archive, seed: number, words: number, guarantee: string, run: Run): Side => {
        const { name, role, pids } = archive;
        const next = createWriter(seed + size);
        return { name, role, guarantee, run: () => run(next(words)), ...(pids !== undefined && { pids }) };
      };
      lines.push(
        ...(await compare(
          "recall",
          `insert at ${entries} entries`,
          measured.map((archive) => side(archive, 1, 20, archive.guarantee, (text) => archive.insert([text]))),
          { rounds, growth: { curve: "insert into recall", size } },
        )),
        ...(await compare(
          "recall",
          `search at ${entries} entries`,
          measured.map((archive) => side(archive, 2, 4, archive.answers, (query) => archive.search(query))),
          { rounds, growth: { curve: "search of recall", size } },
        )),
      );
    }
    return lines;
  });
}

function ours(name: string, store: RecallStore, guarantee: string): Archive {
  return {
    name,
    role: "ours",
    guarantee,
    answers: "four words, ten best; neighbours and dates count",
    upTo: IN_PROCESS_MOST,
    insert: (texts) =>
      store.insert(
        texts.map((content) => ({ content })),
        { owner: OWNER },
      ),
    search: (query) => store.search({ query, limit: 10 }, { owner: OWNER }),
  };
}

interface MiniSearchModule {
  readonly default: new (options: { fields: readonly string[] }) => {
    add(document: { id: number; text: string }): void;
    search(query: string): readonly unknown[];
  };
}

async function minisearch(): Promise<Archive> {
  const { default: MiniSearch } = await (await openPeers()).load<MiniSearchModule>("minisearch");
  const index = new MiniSearch({ fields: ["text"] });
  let next = 0;
  return {
    name: "minisearch",
    role: "peer",
    guarantee: IN_MEMORY,
    answers: RANKED,
    upTo: IN_PROCESS_MOST,
    insert(texts) {
      for (const text of texts) index.add({ id: (next += 1), text });
    },
    search: (query) => index.search(query).slice(0, 10),
  };
}

interface OramaModule {
  create(options: { schema: { text: "string" } }): unknown;
  insert(index: unknown, document: { text: string }): Promise<string> | string;
  search(index: unknown, query: { term: string; limit: number; threshold: number }): unknown;
}

async function orama(): Promise<Archive> {
  const { create, insert, search } = await (await openPeers()).load<OramaModule>("@orama/orama");
  const index = create({ schema: { text: "string" } });
  return {
    name: "orama",
    role: "peer",
    guarantee: IN_MEMORY,
    answers: RANKED,
    upTo: IN_PROCESS_MOST,
    async insert(texts) {
      for (const text of texts) await insert(index, { text });
    },
    search: (term) => search(index, { term, limit: 10, threshold: 1 }),
  };
}

/** The reference server for memories, as clients use it; many texts at once are written to its file directly. */
async function serverMemory(temporary: Temporary): Promise<Archive> {
  const file = join(await temporary.folder(), "memory.jsonl");
  await writeFile(file, "");
  const server = await startMemory(file);
  temporary.defer(() => server.close());
  let next = 0;
  const entity = (text: string): { name: string; entityType: string; observations: string[] } => {
    next += 1;
    return { name: `fact ${next}`, entityType: "fact", observations: [text] };
  };
  return {
    name: "server-memory over stdio",
    role: "peer",
    guarantee: "atomic rename; not synced, concurrent writes are lost",
    answers: "one of the words only, as a substring, unranked",
    upTo: MEMORY_SERVER_MOST,
    pids: () => server.pids(),
    async insert(texts) {
      if (texts.length === 1) return server.call("create_entities", { entities: texts.map(entity) });
      const begun = (await stat(file)).size > 0;
      const lines = texts.map((text) => JSON.stringify({ type: "entity", ...entity(text) })).join("\n");
      return appendFile(file, `${begun ? "\n" : ""}${lines}`);
    },
    // It finds whole substrings only, so it is asked for one word.
    search: (query) => server.call("search_nodes", { query: query.split(" ")[0] ?? "" }),
  };
}
