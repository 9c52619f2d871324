import { realpathSync } from "node:fs";
import { type JournalRecord, nextToUndo } from "@ikigai/memory";
import type { Host } from "../host.ts";
import type { Place } from "../place/place.ts";

const CALLS_LOOKED_AT = 200;
const MOST = 10;
const LOOK_BACK = 500;

/**
 * What the latest calls changed in this workspace and in the agent's memory, each text once, newest first: the changes
 * that can be taken back.
 *
 * Contract: reads only. Changes that were taken back, and those of other workspaces and agents, are left out.
 */
export async function undoableChanges(
  host: Pick<Host, "store">,
  { agent, root }: Pick<Place, "agent" | "root">,
): Promise<readonly JournalRecord[]> {
  const rows = await host.store.audit.read({ limit: 2 * CALLS_LOOKED_AT });
  const calls = [...new Set(rows.map((row) => row.call_id))];
  const owners = new Set([agent, `folder:${realpathSync(root)}`]);
  const { journal } = host.store;
  const found = new Map<string, JournalRecord>();
  for (const call of calls) {
    if (found.size === MOST) break;
    for (const record of await journal.ofCall(call)) {
      if (found.has(record.uri) || !owners.has(record.owner)) continue;
      const history = await journal.history(record.uri, { owner: record.owner, limit: LOOK_BACK });
      const open = nextToUndo(history, undefined);
      if (open !== undefined) found.set(record.uri, open);
    }
  }
  return [...found.values()].slice(0, MOST);
}
