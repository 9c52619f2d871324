import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createSourceManager, type SourceManager } from "@ikigai/core/host";
import { type Database, migrate, openDatabase } from "@ikigai/database";
import {
  createMemoryNoteIndexStore,
  createNoteIndex,
  createNoteResolver,
  type NoteIndex,
  type NoteIndexStore,
  type NoteRow,
  noteRowCodec,
} from "@ikigai/notes";
import { fileSource } from "@ikigai/source-file";
import { createNoteRows, storeMigrations } from "@ikigai/store-postgres";
import { createRandom, plantVault } from "./data.ts";
import { compare, type Line, type Side } from "./line.ts";
import { withTemporary } from "./temporary.ts";

const LOOKUPS = 1_000;

/** Notes: building the index, starting with one, following a change, and finding by name. */
export async function benchNotes(quick: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  for (const size of quick ? [300, 1_000, 3_000, 10_000] : [1_000, 3_000, 10_000, 30_000])
    lines.push(...(await inVault(size, quick)));
  return lines;
}

async function inVault(size: number, quick: boolean): Promise<Line[]> {
  const rounds = quick ? 1 : 10;
  const warmUp = quick ? 0 : 1;
  return withTemporary(async (temporary) => {
    const root = await temporary.folder();
    const names = await plantVault(root, size);
    const sources = createSourceManager();
    await sources.mount({ mount: "file", source: fileSource, options: { root } });
    temporary.defer(() => sources.close());
    const database = openDatabase({ directory: await temporary.store() });
    temporary.defer(() => database.close());
    await migrate(database, [storeMigrations]);
    const notes = size.toLocaleString("en");
    const at = (curve: string): { curve: string; size: number } => ({ curve, size });
    const lines = await compare(
      "notes",
      `index ${notes} notes, cold`,
      [
        { name: "list, read, scan in Node", role: "floor", guarantee: "none: nothing kept", run: () => scanBare(root) },
        {
          name: "index in memory",
          guarantee: "checked, Obsidian's rules, front matter",
          run: () => open(sources, createMemoryNoteIndexStore()).refresh(),
        },
        coldStored(sources, database),
      ],
      { rounds, warmUp, growth: at("cold index of notes") },
    );
    const stored = createNoteRows<NoteRow>(database, "warm", noteRowCodec);
    await open(sources, stored).refresh();
    lines.push(
      ...(await compare(
        "notes",
        `start with an index of ${notes} notes`,
        [
          {
            name: "index in the store",
            guarantee: "every note's time and size compared",
            run: () => open(sources, stored).refresh(),
          },
        ],
        { rounds, warmUp, growth: at("warm start with notes") },
      )),
    );
    const index = open(sources, stored);
    await index.refresh();
    lines.push(...(await changes(root, index, notes, { rounds: quick ? 5 : 50, growth: at("one changed note") })));
    lines.push(...(await lookUps(index, names, notes, { rounds, growth: at("look-ups in notes") })));
    return lines;
  });
}

function open(sources: SourceManager, store: NoteIndexStore): NoteIndex {
  return createNoteIndex({ sources, store, mounts: ["file"] });
}

function coldStored(sources: SourceManager, database: Database): Side {
  let scope = 0;
  return {
    name: "index in the store",
    guarantee: "the same, and rows durable",
    before: () => void (scope += 1),
    run: () => open(sources, createNoteRows<NoteRow>(database, `cold-${scope}`, noteRowCodec)).refresh(),
  };
}

interface Measured {
  readonly rounds: number;
  readonly growth: { readonly curve: string; readonly size: number };
}

async function changes(root: string, index: NoteIndex, notes: string, { rounds, growth }: Measured): Promise<Line[]> {
  const path = "area7/Note 7.md";
  const text = await readFile(join(root, path), "utf8");
  let count = 0;
  const change = async (): Promise<void> => {
    count += 1;
    await writeFile(join(root, path), `${text}\n[[Note ${count}]]\n`);
    // Saves within one tick of the clock would look the same.
    await utimes(join(root, path), new Date(), new Date(Date.now() - count * 1_000));
  };
  return compare(
    "notes",
    `one changed note of ${notes}`,
    [
      { name: "reported", guarantee: "stored", before: change, run: () => index.noteChanged(`file:///${path}`) },
      { name: "found by a refresh", guarantee: "stored", before: change, run: () => index.refresh() },
    ],
    { rounds, growth },
  );
}

async function lookUps(
  index: NoteIndex,
  names: readonly string[],
  notes: string,
  { rounds, growth }: Measured,
): Promise<Line[]> {
  const resolver = createNoteResolver(index);
  const random = createRandom(7);
  const some = (): string => names[Math.floor(random() * names.length)] ?? "";
  const uris = [...index.graph.rows()].map(({ uri }) => uri);
  const repeat = async (work: () => unknown): Promise<void> => {
    for (let call = 0; call < LOOKUPS; call++) await work();
  };
  // The first one puts the names in order.
  await repeat(() => resolver.resolve(`[[${some()}]]`));
  const lines = await compare(
    "notes",
    `one look-up among ${notes} notes`,
    [
      {
        name: "resolve",
        guarantee: "the one note that is meant, or its candidates",
        run: () => repeat(() => resolver.resolve(`[[${some()}]]`)),
      },
      {
        name: "backlinks",
        guarantee: "every note that links to it",
        run: () => repeat(() => index.graph.backlinks(uris[Math.floor(random() * uris.length)] ?? "")),
      },
    ],
    { rounds, growth },
  );
  // Measured a thousand at a time, because one is shorter than the clock can tell.
  return lines.map((line) => ({ ...line, p50: line.p50 / LOOKUPS, p99: line.p99 / LOOKUPS }));
}

/** The least it can take: lists, reads, finds links with a regular expression and looks up their names. */
async function scanBare(root: string): Promise<number> {
  const paths = (await readdir(root, { recursive: true })).filter((path) => path.endsWith(".md"));
  const byName = new Map(paths.map((path) => [basename(path, ".md").toLowerCase(), path]));
  let found = 0;
  const queue = paths.values();
  const work = async (): Promise<void> => {
    for (const path of queue) {
      const text = await readFile(join(root, path), "utf8");
      for (const [, target = ""] of text.matchAll(/\[\[([^\]|#]+)/g)) if (byName.has(target.toLowerCase())) found += 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  return found;
}
