import { realpathSync } from "node:fs";
import { describeRecord, type JournalRecord, nextToUndo } from "@ikigai/memory";
import type { Session } from "../command-line.ts";
import { openAudit } from "./audit.ts";

const CALLS_LOOKED_AT = 200;
const SHOWN = 10;
const LOOK_BACK = 500;

/**
 * What the latest calls changed in this workspace and in the agent's memory, each text once, newest first, with the
 * command that takes the change back.
 *
 * Contract: reads only. Changes that were taken back, and those of other workspaces and agents, are left out.
 */
export async function undoableChanges({ host, settings }: Session): Promise<readonly string[]> {
  const rows = await openAudit(host, { denied: false, limit: 2 * CALLS_LOOKED_AT })();
  const calls = [...new Set(rows.map((row) => row.call_id))];
  const owners = new Set([settings.agent, `folder:${realpathSync(settings.root)}`]);
  const { journal } = host.store;
  const shown = new Map<string, string>();
  for (const call of calls) {
    if (shown.size === SHOWN) break;
    for (const record of await journal.ofCall(call)) {
      if (shown.has(record.uri) || !owners.has(record.owner)) continue;
      const history = await journal.history(record.uri, { owner: record.owner, limit: LOOK_BACK });
      const open = nextToUndo(history, undefined);
      if (open !== undefined) shown.set(record.uri, lineOf(open));
    }
  }
  return [...shown.values()].slice(0, SHOWN);
}

function lineOf(record: JournalRecord): string {
  const { uri, at, agent, tool } = record;
  return `ikigai undo ${uri}   ${describeRecord(record)} ${at.toISOString()} by ${agent}${tool === undefined ? "" : ` with ${tool}`}`;
}
