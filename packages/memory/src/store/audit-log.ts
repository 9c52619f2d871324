import type { Audit } from "@ikigai/core/host";
import { type AuditRow, readAuditFile } from "../audit/audit.ts";

export interface AuditQuery {
  readonly callId?: string;
  readonly tool?: string;
  /** Only calls that were refused. Default false. */
  readonly denied?: boolean;
  /** Default 100. */
  readonly limit?: number;
}

/** Who called what, and what was decided on it. */
export interface AuditLog extends Audit {
  /**
   * Resolves when the beginning of a call is safe.
   *
   * Contract: only a beginning that is written together with the change of its call can still be on its way.
   */
  written(callId: string): Promise<void>;
  /** Rows, newest first. Contract: also those that wait in a file. */
  read(query?: AuditQuery): Promise<readonly AuditRow[]>;
  /** Takes in the rows that programs without an open store left in a file. */
  takeIn(): Promise<void>;
}

const LIMIT = 100;

/** The rows of a file that are asked for, newest first. Contract: none when there is no file. */
export async function readAuditRows(path: string, query: AuditQuery = {}): Promise<readonly AuditRow[]> {
  const { callId, tool, denied = false, limit = LIMIT } = query;
  const isAskedFor = (row: AuditRow): boolean =>
    (callId === undefined || row.call_id === callId) &&
    (tool === undefined || row.tool === tool) &&
    (!denied || row.outcome === "permission_denied");
  return (await readAuditFile(path)).filter(isAskedFor).toReversed().slice(0, limit);
}
