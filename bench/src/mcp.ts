import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrate, openDatabase } from "@ikigai/database";
import { createPostgresRecall } from "@ikigai/recall";
import { createWriter, plantTree } from "./data.ts";
import { MIGRATIONS } from "./engines.ts";
import { compareServers, FILE_GUARANTEES, startPair } from "./files.ts";
import { compare, counted, type Line, withRatios } from "./line.ts";
import { type McpServer, startFilesystem, startMemory, startOurs } from "./mcp-client.ts";
import { forgetPeak, peakMemory } from "./peak-memory.ts";
import { growArchive } from "./recall/grow.ts";
import { seedMemoryFile, seedRecall } from "./seed.ts";
import { type Temporary, withTemporary } from "./temporary.ts";

const AGENT = "default";
const IN_FLIGHT = 100;
/** From here on an archive is filled by copying what it has. */
const INSERTED = 3_000;

/** Our server against the reference servers, on the same work through the same client. */
export async function benchMcp(quick: boolean, whole: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  lines.push(...(await withTemporary((temporary) => start(temporary, quick ? 2 : 20))));
  lines.push(
    ...(await withTemporary(async (temporary) => {
      const folders = { ours: await temporary.folder(), theirs: await temporary.folder() };
      const servers = await startPair(temporary, folders);
      // The same lines are among those of the files.
      const found = whole ? [] : await compareServers("mcp", folders, servers, quick ? 10 : 200);
      return [...found, ...(await editsInFlight(folders, servers))];
    })),
  );
  for (const size of quick ? [1_000, 2_000, 5_000, 10_000] : [1_000, 10_000, 30_000, 100_000])
    lines.push(...(await search(size, quick)));
  for (const size of quick ? [100, 300, 1_000, 3_000] : [100, 1_000, 10_000, 30_000])
    lines.push(...(await memories(size, quick)));
  return lines;
}

async function start(temporary: Temporary, rounds: number): Promise<Line[]> {
  const root = await temporary.folder();
  const store = await temporary.store("postgres");
  const file = join(await temporary.folder(), "memory.jsonl");
  const running: McpServer[] = [];
  const memory = new Map<string, number>();
  const once = (name: string, open: () => Promise<McpServer>): { run(): Promise<void>; before(): Promise<void> } => ({
    async run() {
      running.push(await open());
      const rss = peakMemory(...((await running.at(-1)?.pids()) ?? []));
      if (rss !== undefined) memory.set(name, Math.max(rss, memory.get(name) ?? 0));
    },
    before: stop,
  });
  async function stop(): Promise<void> {
    for (const server of running.splice(0)) await server.close();
  }
  temporary.defer(stop);
  const side = (
    name: string,
    role: "ours" | "peer",
    open: () => Promise<McpServer>,
  ): Parameters<typeof compare>[2][0] => ({
    name,
    role,
    guarantee: "answers which tools there are",
    ...once(name, open),
    rss: () => memory.get(name),
  });
  return compare(
    "mcp",
    "start to the first tools/list",
    [
      side("server-filesystem", "peer", () => startFilesystem(root)),
      side("server-memory", "peer", () => startMemory(file)),
      side("ikigai mcp", "ours", () => startOurs(root, store)),
    ],
    { rounds, warmUp: 1 },
  );
}

/** Edits sent without waiting for each other, each of its own line; counts acknowledged ones that are not there. */
async function editsInFlight(
  folders: { readonly ours: string; readonly theirs: string },
  { ours, theirs }: { readonly ours: McpServer; readonly theirs: McpServer },
): Promise<Line[]> {
  forgetPeak(...(await ours.pids()), ...(await theirs.pids()));
  const name = "in-flight.txt";
  const text = Array.from({ length: IN_FLIGHT }, (_, index) => `line ${index} is old.\n`).join("");
  const send = async (
    folder: string,
    edit: (old: string, next: string) => Promise<unknown>,
  ): Promise<{ lost: number; acknowledged: string }> => {
    await writeFile(join(folder, name), text);
    const answers = await Promise.allSettled(
      Array.from({ length: IN_FLIGHT }, (_, index) => edit(`line ${index} is old.`, `line ${index} is new.`)),
    );
    const after = await readFile(join(folder, name), "utf8");
    const done = answers.map(({ status }) => status === "fulfilled");
    const lost = done.filter((isDone, index) => isDone && !after.includes(`line ${index} is new.`)).length;
    return { lost, acknowledged: `${done.filter(Boolean).length} acknowledged` };
  };
  const sent = {
    theirs: await send(folders.theirs, (oldText, newText) =>
      theirs.call("edit_file", { path: join(folders.theirs, name), edits: [{ oldText, newText }] }),
    ),
    ours: await send(folders.ours, (old, next) => ours.call("file_edit", { path: name, old, new: next })),
  };
  const work = `${IN_FLIGHT} edits in flight, acknowledged and lost`;
  const { server, peerWrite } = FILE_GUARANTEES;
  return withRatios([
    counted(
      "mcp",
      work,
      "lost",
      {
        name: "server-filesystem",
        role: "peer",
        guarantee: `${sent.theirs.acknowledged}; ${peerWrite}`,
        rss: peakMemory(...(await theirs.pids())),
      },
      sent.theirs.lost,
    ),
    counted(
      "mcp",
      work,
      "lost",
      {
        name: "ikigai mcp",
        guarantee: `${sent.ours.acknowledged}; ${server}`,
        rss: peakMemory(...(await ours.pids())),
      },
      sent.ours.lost,
    ),
  ]);
}

async function search(size: number, quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const root = await temporary.folder();
    await plantTree(root, size);
    const ours = await startOurs(root, await temporary.store("postgres"), "--tools", "files");
    temporary.defer(() => ours.close());
    const theirs = await startFilesystem(root);
    temporary.defer(() => theirs.close());
    return compare(
      "mcp",
      `find **/file1*.ts in ${size.toLocaleString("en")} files, over stdio`,
      [
        {
          name: "server-filesystem",
          role: "peer",
          guarantee: "complete; .gitignore not read; unbounded answer",
          run: () => theirs.call("search_files", { path: root, pattern: "**/file1*.ts" }),
          pids: () => theirs.pids(),
        },
        {
          name: "ikigai mcp",
          guarantee: "complete, counted, newest first, bounded, audited",
          run: () => ours.call("glob", { pattern: "**/file1*.ts" }),
          pids: () => ours.pids(),
        },
      ],
      { rounds: quick ? 3 : size > 50_000 ? 5 : 20, warmUp: 1, growth: { curve: "find files over stdio", size } },
    );
  });
}

async function memories(size: number, quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const store = await temporary.store("postgres");
    await mkdir(join(store, "postgres"), { recursive: true });
    const database = openDatabase({ directory: join(store, "postgres") });
    await migrate(database, MIGRATIONS);
    await seedRecall(createPostgresRecall(database), AGENT, Math.min(size, INSERTED));
    await growArchive(database, AGENT, size);
    await database.close();
    const file = join(await temporary.folder(), "memory.jsonl");
    await seedMemoryFile(file, size);
    const ours = await startOurs(await temporary.folder(), store, "--tools", "recall");
    temporary.defer(() => ours.close());
    const theirs = await startMemory(file);
    temporary.defer(() => theirs.close());
    const write = createWriter(size + 1);
    // Both are asked for the same words.
    const words = { ours: createWriter(size + 2), theirs: createWriter(size + 2) };
    const pids = { ours: () => ours.pids(), theirs: () => theirs.pids() };
    let made = 0;
    const entries = `at ${size.toLocaleString("en")} entries, over stdio`;
    const rounds = quick ? 10 : 100;
    const lines = await compare(
      "mcp",
      `insert a memory ${entries}`,
      [
        {
          name: "server-memory",
          role: "peer",
          guarantee: "atomic rename; not synced, concurrent writes are lost",
          pids: pids.theirs,
          run: () => {
            const entity = { name: `new${(made += 1)}`, entityType: "fact", observations: [write(20)] };
            return theirs.call("create_entities", { entities: [entity] });
          },
        },
        {
          name: "ikigai mcp",
          guarantee: "durable, immutable, each content once, audited",
          pids: pids.ours,
          run: () => ours.call("recall", { op: "insert", content: write(20) }),
        },
      ],
      { rounds, growth: { curve: "insert a memory over stdio", size } },
    );
    lines.push(
      ...(await compare(
        "mcp",
        `search memories ${entries}`,
        [
          {
            name: "server-memory",
            role: "peer",
            guarantee: "substring; unranked, unbounded answer",
            pids: pids.theirs,
            run: () => theirs.call("search_nodes", { query: words.theirs(1) }),
          },
          {
            name: "ikigai mcp",
            guarantee: "ranked, ten best, audited",
            pids: pids.ours,
            run: () => ours.call("recall", { op: "search", query: words.ours(1) }),
          },
        ],
        { rounds, growth: { curve: "search memories over stdio", size } },
      )),
    );
    return lines;
  });
}
