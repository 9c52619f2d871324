import { randomUUID } from "node:crypto";
import type { Audit, CallIntent, CallOutcome } from "@ikigai/core/host";
import { createRedactor } from "@ikigai/core/redact";
import { appendBounded, type BoundedFileOptions } from "../line-files/bounded-line-file.ts";
import { readRows } from "../line-files/line-file.ts";
import { redactShort } from "./redact-short.ts";
import { storableRow } from "./storable-row.ts";

/** A call's beginning or end, ready to be stored. Plain JSON. */
export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly phase: "intent" | "outcome";
  readonly call_id: string;
  readonly agent: string;
  readonly conversation: string;
  readonly tool: string;
  readonly operation: string | null;
  readonly outcome: string | null;
  /** JSON: the client, the redacted input, the verdicts, the error. */
  readonly details: string;
}

/** Stores one row of the audit. */
export type AuditSink = (row: AuditRow) => Promise<void>;

export interface AuditOptions {
  /** Takes secrets out of a call's input. Default: core's redactor with the environment of the process, long texts shortened. */
  readonly redact?: (input: unknown) => unknown;
  /** Default: the machine's. */
  readonly clock?: () => Date;
}

/**
 * Writes calls down before they run and after they ended.
 *
 * Contract: a sink gets rows that every store takes, whatever a model put into names and ids, and of bounded size.
 */
export function createAudit(sink: AuditSink, options: AuditOptions = {}): Audit {
  const { redact: hide = redactShort(createRedactor()), clock = () => new Date() } = options;
  const row = (phase: AuditRow["phase"], call: CallIntent | CallOutcome, details: object): AuditRow => ({
    id: randomUUID(),
    at: clock().toISOString(),
    phase,
    call_id: call.callId,
    agent: call.agent,
    conversation: call.conversation,
    tool: call.tool,
    operation: call.operation ?? null,
    outcome: "outcome" in call ? call.outcome : null,
    details: JSON.stringify(hide({ client: call.client, ...details, verdicts: call.verdicts })),
  });
  return {
    intent: async (call) => sink(storableRow(row("intent", call, { input: call.input, approvedBy: call.approvedBy }))),
    outcome: async (call) => sink(storableRow(row("outcome", call, { error: call.error }))),
  };
}

/** Rows go to the end of a file, for a command that needs no store. */
export function fileSink(path: string, options: BoundedFileOptions = {}): AuditSink {
  return (row) => appendBounded(path, row, options);
}

/** The rows of such a file, oldest first. Contract: none when there is no file; a torn row is left out. */
export async function readAuditFile(path: string): Promise<readonly AuditRow[]> {
  return (await readRows(path)) as AuditRow[];
}
