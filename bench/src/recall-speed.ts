import { createMemoryRecall, createPostgresRecall, type RecallStore } from "@ikigai/recall";
import { createWriter } from "./data.ts";
import { openEngines } from "./engines.ts";
import { compare, type Line, type Side } from "./line.ts";
import { openPeers } from "./peers.ts";
import { withTemporary } from "./temporary.ts";

/** Something that keeps texts and finds them again. */
interface Archive {
  readonly name: string;
  readonly role: "ours" | "peer";
  readonly guarantee: string;
  insert(texts: readonly string[]): Promise<unknown> | unknown;
  search(query: string): Promise<unknown> | unknown;
  /** Done once after many inserts. */
  settle?(): Promise<unknown>;
}

const OWNER = "bench";
const IN_MEMORY = "none: gone with the process";
const STEP = 500;

/** How inserting into and searching the archive grows, against search libraries in memory. */
export async function benchRecall(quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const archives: Archive[] = [
      await minisearch(),
      await orama(),
      ours("recall in memory", createMemoryRecall(), IN_MEMORY),
    ];
    for (const { name, database } of await openEngines(temporary)) {
      const store = createPostgresRecall(database);
      archives.push({
        ...ours(`recall, ${name}`, store, "durable, immutable, each content once"),
        settle: () => database.query("vacuum analyze recall_posting"),
      });
    }
    const write = createWriter(42);
    const lines: Line[] = [];
    const rounds = quick ? 20 : 200;
    let made = 0;
    for (const size of quick ? [100, 1_000, 5_000] : [100, 1_000, 10_000, 100_000]) {
      for (; made < size; made += STEP) {
        const texts = Array.from({ length: Math.min(STEP, size - made) }, () => write(20));
        for (const archive of archives) await archive.insert(texts);
      }
      made = size;
      for (const archive of archives) await archive.settle?.();
      const entries = size.toLocaleString("en");
      const side = ({ name, role, guarantee }: Archive, run: Side["run"]): Side => ({ name, role, guarantee, run });
      lines.push(
        ...(await compare(
          "recall",
          `insert at ${entries} entries`,
          archives.map((archive) => side(archive, () => archive.insert([write(20)]))),
          { rounds, growth: { curve: "insert into recall", size } },
        )),
        ...(await compare(
          "recall",
          `search at ${entries} entries`,
          archives.map((archive) => side(archive, () => archive.search(write(4)))),
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
    async insert(texts) {
      for (const text of texts) await insert(index, { text });
    },
    search: (term) => search(index, { term, limit: 10, threshold: 1 }),
  };
}
