import { randomBytes } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import { type BoundedFileOptions, keepBounded, MAX_KEPT_BYTES, oldestFirst } from "../line-files/bounded-line-file.ts";
import { appendChunked, type ChunkRow, toStoredChunk } from "../line-files/chunked-line-file.ts";
import { countPruned, readPruned } from "./file-journal-pruned.ts";
import { callOf, type Journal, type JournalRecord, type JournalState, undoneByReason } from "./journal.ts";
import { type CutText, cutText } from "../kept-text/cut-text.ts";
import { joinText } from "../kept-text/join-text.ts";
import type { StoredChunk } from "../kept-text/text-chunk.ts";
import { appendRow, readRows } from "../line-files/line-file.ts";

/** One side of a change in the file: its text, or the list of its chunks in base64. */
type KeptState = JournalState | { readonly version: string; readonly chunks: string };
type Announced = Omit<JournalRecord, "at" | "before" | "after"> & {
  readonly at: string;
  readonly before?: KeptState;
  readonly after?: KeptState;
};
type Settled = { readonly settles: string; readonly end: Parameters<Journal["settle"]>[1] };

/** How much a journal in a file may have: see {@link BoundedFileOptions}. Its oldest entries go first. */
export type FileJournalOptions = Omit<BoundedFileOptions, "sync">;

const LIMIT = 50;

/**
 * A journal in files of JSON lines, for a host that has no store.
 *
 * Contract: an announcement is on the disk when `intend` resolves; several processes may write at once. Large texts are
 * cut, and each piece is kept once in a file. The files are bounded: the oldest goes with its entries, and the history of
 * each text says how many. Reading takes time in proportion to the files.
 */
export function createFileJournal(
  path: string,
  clock: () => Date = () => new Date(),
  options: FileJournalOptions = {},
): Journal {
  const readAll = async (): Promise<readonly JournalRecord[]> => {
    const before = (await oldestFirst(path)).map(({ file }) => file);
    return readJournalFile(...before, path);
  };
  const announce = (row: object, cuts: readonly CutText[]): Promise<number> =>
    cuts.length === 0
      ? appendRow(path, row, { sync: true })
      : appendChunked(path, row, cuts, { maxBytes: options.maxKeptBytes ?? MAX_KEPT_BYTES });
  return {
    async intend({ actor, before, after, ...entry }) {
      const id = randomBytes(5).toString("hex");
      const call = callOf(actor);
      const cuts: CutText[] = [];
      const sides = {
        ...(before !== undefined && { before: keptState(before, cuts) }),
        ...(after !== undefined && { after: keptState(after, cuts) }),
      };
      const row: Announced = { ...entry, ...sides, ...call, id, at: clock().toISOString(), state: "intended" };
      const size = await announce(row, cuts);
      await keepBounded(path, size, options, async (file) => countPruned(path, await readJournalFile(file)));
      return id;
    },
    async settle(id, end) {
      await appendRow(path, { settles: id, end } satisfies Settled, { sync: true });
    },
    async history(uri, { owner, limit = LIMIT }) {
      const records = await readAll();
      return records
        .filter((one) => one.uri === uri && one.owner === owner && one.state !== "failed")
        .toReversed()
        .slice(0, limit);
    },
    async ofCall(callId) {
      const records = await readAll();
      return records.filter((one) => one.callId === callId && one.state === "done").toReversed();
    },
    async get(id) {
      const record = (await readAll()).find((one) => one.id === id);
      if (record !== undefined) return record;
      throw new IkigaiError("not_found", `The journal has no entry ${JSON.stringify(id)}`, {
        hint: "Use an id that the history shows.",
      });
    },
    pruned: (uri, { owner }) => readPruned(path, uri, owner),
  };
}

/**
 * Everything that {@link createFileJournal} wrote to a file and to those it was continued in, oldest first.
 *
 * Contract: a torn row is left out; the end of a change may stand in another file than its announcement. A text whose
 * pieces are not whole is `unavailable` when it is asked for, and names its entry.
 */
export async function readJournalFile(...paths: readonly string[]): Promise<readonly JournalRecord[]> {
  const announced: Announced[] = [];
  const ends = new Map<string, Settled["end"]>();
  const chunks = new Map<string, StoredChunk>();
  for (const path of paths) {
    for (const row of (await readRows(path)) as (Announced | Settled | ChunkRow)[]) {
      if ("chunk" in row) chunks.set(row.chunk, toStoredChunk(row));
      else if (!("settles" in row)) announced.push(row);
      else if (!ends.has(row.settles)) ends.set(row.settles, row.end);
    }
  }
  return announced.map((row) => toRecord(row, ends.get(row.id), (key) => chunks.get(key)));
}

/** Contract: `cuts` learns what has to be kept beside it. */
function keptState({ text, version }: JournalState, cuts: CutText[]): KeptState {
  const cut = cutText(text);
  if (cut === undefined) return { text, version };
  cuts.push(cut);
  return { version, chunks: cut.root.toString("base64") };
}

function toRecord(
  { before, after, ...row }: Announced,
  end: Settled["end"] | undefined,
  find: (key: string) => StoredChunk | undefined,
): JournalRecord {
  const name = `the journal entry ${row.id} of ${row.uri}`;
  const version = typeof end === "object" ? end.version : undefined;
  const state = end === undefined ? row.state : end === "failed" ? "failed" : "done";
  const undoes = row.undoes ?? undoneByReason(row.reason);
  return {
    ...row,
    at: new Date(row.at),
    ...(undoes !== undefined && { undoes }),
    ...(before !== undefined && { before: toState(before, before.version, find, name) }),
    ...(after !== undefined && { after: toState(after, version ?? after.version, find, name) }),
    state,
  };
}

function toState(
  kept: KeptState,
  version: string,
  find: (key: string) => StoredChunk | undefined,
  name: string,
): JournalState {
  if ("text" in kept) return { text: kept.text, version };
  const root = Buffer.from(kept.chunks, "base64");
  return {
    get text() {
      return joinText(root, find, name);
    },
    version,
  };
}
