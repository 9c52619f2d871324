import { randomBytes } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import { callOf, type Journal, type JournalRecord } from "./journal.ts";
import { appendRow, readRows } from "./line-file.ts";

type Announced = Omit<JournalRecord, "at"> & { readonly at: string };
type Settled = { readonly settles: string; readonly end: Parameters<Journal["settle"]>[1] };

const LIMIT = 50;

/**
 * A journal in one file of JSON lines, for a host that has no store.
 *
 * Contract: an announcement is on the disk when `intend` resolves; several processes may write at once. Reading takes
 * time in proportion to the file.
 */
export function createFileJournal(path: string, clock: () => Date = () => new Date()): Journal {
  return {
    async intend({ actor, ...entry }) {
      const id = randomBytes(5).toString("hex");
      const call = callOf(actor);
      const row: Announced = { ...entry, ...call, id, at: clock().toISOString(), state: "intended" };
      await appendRow(path, row, { sync: true });
      return id;
    },
    async settle(id, end) {
      await appendRow(path, { settles: id, end } satisfies Settled, { sync: true });
    },
    async history(uri, { owner, limit = LIMIT }) {
      const records = await readJournalFile(path);
      return records
        .filter((one) => one.uri === uri && one.owner === owner && one.state !== "failed")
        .toReversed()
        .slice(0, limit);
    },
    async ofCall(callId) {
      const records = await readJournalFile(path);
      return records.filter((one) => one.callId === callId && one.state === "done").toReversed();
    },
    async get(id) {
      const record = (await readJournalFile(path)).find((one) => one.id === id);
      if (record !== undefined) return record;
      throw new IkigaiError("not_found", `The journal has no entry ${JSON.stringify(id)}`, {
        hint: "Use an id that the history shows.",
      });
    },
    pruned: async () => undefined,
  };
}

/**
 * Everything that {@link createFileJournal} wrote to a file and to those it was continued in, oldest first.
 *
 * Contract: a torn row is left out; the end of a change may stand in another file than its announcement.
 */
export async function readJournalFile(...paths: readonly string[]): Promise<readonly JournalRecord[]> {
  const rows = (await Promise.all(paths.map(readRows))).flat() as (Announced | Settled)[];
  const ends = new Map<string, Settled["end"]>();
  for (const row of rows) if ("settles" in row && !ends.has(row.settles)) ends.set(row.settles, row.end);
  return rows.flatMap((row) => {
    if ("settles" in row) return [];
    const end = ends.get(row.id);
    const record = { ...row, at: new Date(row.at) };
    return [end === undefined ? record : settled(record, end)];
  });
}

function settled(record: JournalRecord, end: Settled["end"]): JournalRecord {
  if (end === "failed") return { ...record, state: "failed" };
  const { after } = record;
  if (after === undefined) return { ...record, state: "done" };
  return { ...record, after: { ...after, version: end.version ?? after.version }, state: "done" };
}
