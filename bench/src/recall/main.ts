import { parseArgs } from "node:util";
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

/** The weights were chosen on these; a figure that includes them says less. */
const TUNED_ON = new Set(["conv-26", "conv-42"]);

const USAGE = `node bench/dist/recall/main.js [--locomo FILE] [--beir DIR] [--speed 1000,10000] [--server URL] [--embed] [--json]
  --locomo  evidence recall at 5, 10 and 25, hits and reciprocal rank on a LoCoMo file
  --beir    nDCG@10 on a folder in the BEIR layout
  --speed   insert and search times at these sizes
  --server  measure a PostgreSQL server as well (a schema recall_bench is created and dropped)
  --embed   measure hybrid ranking as well (needs minutes to embed)
`;

const { values: options } = parseArgs({
  options: {
    locomo: { type: "string" },
    beir: { type: "string" },
    speed: { type: "string" },
    server: { type: "string" },
    embed: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

if (options.locomo === undefined && options.beir === undefined && options.speed === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}

const embedded = await embeddedClient();
const server = options.server === undefined ? undefined : await serverClient(options.server);
const systems: System[] = [
  minisearchSystem(),
  ourSystem("ours in memory", () => memoryStore()),
  ourSystem("ours embedded", () => postgresStore(embedded)),
];
if (server !== undefined) systems.push(ourSystem("ours on a server", () => postgresStore(server)));
if (options.embed) {
  const embedder = cachedEmbedder();
  systems.push(
    vectorSystem(embedder),
    ourSystem("ours hybrid", () => postgresStore(embedded, embedder)),
  );
}

if (options.locomo !== undefined) await runLocomo(options.locomo);
if (options.beir !== undefined) await runBeir(options.beir);
if (options.speed !== undefined) await runSpeed(options.speed.split(",").map(Number));
await server?.close();
process.exit(0);

async function runLocomo(file: string): Promise<void> {
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
            occurredAt,
          })),
        ),
      );
      for (const [category, figures] of Object.entries({ all: report.all, ...report.categories })) {
        print({ bench: "recall-locomo", part, system, category, ...figures }, line(part, system, category, figures));
      }
    }
  }
}

async function runBeir(folder: string): Promise<void> {
  const set = readBeir(folder);
  for (const { name: system, load } of systems) {
    const retrieve = await load(set.documents.map(({ id, text }) => ({ name: id, content: text })));
    const ndcg = await ndcg10(set, retrieve);
    print({ bench: "recall-beir", system, ndcg10: ndcg }, `beir      ${system.padEnd(26)} nDCG@10 ${ndcg.toFixed(2)}`);
  }
}

async function runSpeed(sizes: readonly number[]): Promise<void> {
  for (const [system, client] of Object.entries({ embedded: await embeddedClient(), server })) {
    if (client === undefined) continue;
    const settle = (): Promise<unknown> => client.query("vacuum analyze recall_posting");
    for await (const one of measureSpeed(system, await postgresStore(client), sizes, settle)) {
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
