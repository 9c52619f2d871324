import { type AuditRow, readAuditFile } from "@ikigai/memory";
import type { Host } from "../host.ts";
import { loadPart } from "../parts/features.ts";

/** Which rows of the audit are wanted. */
export interface AuditQuery {
  /** Only those of this tool. */
  readonly tool?: string;
  /** Only those of calls that were refused. Default false. */
  readonly denied?: boolean;
  /** How many of the latest. */
  readonly limit: number;
}

/** Rows of the audit, newest first: of the store, or of the file in which they wait while there is none. */
export async function readAuditRows(
  { store }: Pick<Host, "store">,
  { tool, denied = false, limit }: AuditQuery,
): Promise<readonly AuditRow[]> {
  if (!(await store.exists())) {
    const rows = await readAuditFile(store.spool);
    const wanted = (row: AuditRow): boolean =>
      (tool === undefined || row.tool === tool) && (!denied || row.outcome === "permission_denied");
    return rows.filter(wanted).toReversed().slice(0, limit);
  }
  const { readAudit } = await loadPart("@ikigai/store-postgres", "store");
  const { database, takeInAudit } = await store.open();
  await takeInAudit();
  return readAudit(database, { denied, limit, ...(tool !== undefined && { tool }) });
}
