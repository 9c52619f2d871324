import { parseArgs } from "node:util";
import { startTestServer, type TestServer } from "@ikigai/database/testing";
import type { SqlClient } from "@ikigai/core/host";
import { ndcg10, readBeir } from "./beir.ts";
import { readLocomo } from "./locomo.ts";
import { type Figures, measureRetrieval } from "./retrieval.ts";
import { measureSpeed } from "./speed.ts";
import {
  cachedEmbedder,
  embeddedClient,
  memoryStore,
  minisearchSystem,
  ourSystem,
  postgresStore,
  serverClient,
  type System,
  vectorSystem,
} from "./systems.ts";

/** The weights were chosen on these; a figure that includes them says less. All of another file is held out. */
const TUNED_ON = new Set(["conv-26", "conv-42"]);

const USAGE = `npm run bench -- recall [--locomo FILE] [--beir DIR] [--speed SIZES] [--server URL] [--no-embed] [--json]
  --locomo    evidence recall at 5, 10 and 25, hits and reciprocal rank on a LoCoMo file
  --beir      nDCG@10 on a folder in the BEIR layout
  --speed     insert and search times at these sizes, such as 1000,10000,100000,1000000; above 100000 on the server only
  --server    the PostgreSQL server to measure (a schema recall_bench is made and dropped). Default: one of our own
  --no-embed  leave hybrid ranking out, which takes minutes to embed
`;

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    locomo: { type: "string" },
    beir: { type: "string" },
    speed: { type: "string" },
    server: { type: "string" },
    embed: { type: "boolean", default: true },
    json: { type: "boolean", default: false },
  },
});

if (options.locomo === undefined && options.beir === undefined && options.speed === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}

/** Above this the embedded engine would be measured for hours. */
const EMBEDDED_MOST = 100_000;

const own = options.server === undefined ? await startTestServer() : undefined;
const server = await serverClient(options.server ?? (own as TestServer).url);
try {
  if (options.locomo !== undefined || options.beir !== undefined) {
    const embedded = await embeddedClient();
    const systems: System[] = [
      minisearchSystem(),
      ourSystem("ours in memory", () => memoryStore()),
      ourSystem("ours embedded", () => postgresStore(embedded)),
      ourSystem("ours on a server", () => postgresStore(server)),
    ];
    if (options.embed) {
      const embedder = cachedEmbedder((done) => process.stderr.write(`bench: ${done} texts are embedded\n`));
      systems.push(
        vectorSystem(embedder),
        ourSystem("ours hybrid", () => postgresStore(server, embedder)),
      );
    }
    if (options.locomo !== undefined) await runLocomo(options.locomo, systems);
    if (options.beir !== undefined) await runBeir(options.beir, systems);
  }
  if (options.speed !== undefined) await runSpeed(options.speed.split(",").map(Number));
} finally {
  await server.close();
  await own?.stop();
}
process.exit(0);

async function runLocomo(file: string, systems: readonly System[]): Promise<void> {
  const conversations = readLocomo(file);
  const parts = {
    "chosen on": conversations.filter(({ name }) => TUNED_ON.has(name)),
    "held out": conversations.filter(({ name }) => !TUNED_ON.has(name)),
  };
  for (const [part, chosen] of Object.entries(parts)) {
    if (chosen.length === 0) continue;
    for (const { name: system, load } of systems) {
      const report = await measureRetrieval(chosen, ({ turns }) =>
        load(
          turns.map(({ id, session, order, occurredAt, content }) => ({
            name: id,
            content,
            thread: session,
            order,
            ...(occurredAt !== undefined && { occurredAt }),
          })),
        ),
      );
      for (const [category, figures] of Object.entries({ all: report.all, ...report.categories })) {
        print({ bench: "recall-locomo", part, system, category, ...figures }, line(part, system, category, figures));
      }
    }
  }
}

async function runBeir(folder: string, systems: readonly System[]): Promise<void> {
  const set = readBeir(folder);
  for (const { name: system, load } of systems) {
    const retrieve = await load(set.documents.map(({ id, text }) => ({ name: id, content: text })));
    const ndcg = await ndcg10(set, retrieve);
    print({ bench: "recall-beir", system, ndcg10: ndcg }, `beir      ${system.padEnd(26)} nDCG@10 ${ndcg.toFixed(2)}`);
  }
}

async function runSpeed(sizes: readonly number[]): Promise<void> {
  // The embedded engine lives in this process, so it is opened last: the memory of the first lines is a client's.
  for (const [system, open] of Object.entries({ server: async () => server, embedded: embeddedClient })) {
    const client: SqlClient = await open();
    const fitting = sizes.filter((size) => system === "server" || size <= EMBEDDED_MOST);
    for await (const one of measureSpeed(system, await postgresStore(client), client, fitting)) {
      const { entries, insert, search, rss } = one;
      print(
        one,
        `speed     ${system.padEnd(10)} ${entries} entries: insert p50 ${insert.p50} p99 ${insert.p99} ms, search p50 ${search.p50} p99 ${search.p99} ms, ${rss} MB`,
      );
    }
  }
}

function line(part: string, system: string, category: string, { questions, recall, hit10, mrr }: Figures): string {
  const cuts = [recall["5"], recall["10"], recall["25"]].map((cut) => cut.toFixed(1)).join(" / ");
  return `${part.padEnd(9)} ${system.padEnd(26)} ${category.padEnd(12)} ${String(questions).padStart(4)}  ${cuts}  hit ${hit10.toFixed(1)}  mrr ${mrr.toFixed(3)}`;
}

function print(data: object, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(data) : text}\n`);
}
