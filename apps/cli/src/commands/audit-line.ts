import type { AuditRow } from "@ikigai/memory";

/** What a row says of what was decided. */
export interface CallDetails {
  readonly verdicts: readonly {
    readonly decision: string;
    readonly effect: { readonly action: string; readonly target: string };
  }[];
  readonly approvedBy?: string;
  /** The program through which the call came. Absent: ours. */
  readonly client?: string;
}

export function detailsOf({ details }: Pick<AuditRow, "details">): CallDetails {
  return { verdicts: [], ...(JSON.parse(details) as Partial<CallDetails>) };
}

/** A call as one line: when, who, what, how it ended, what was decided and who approved. */
export function auditLine(row: AuditRow, end: string, { verdicts, approvedBy, client }: CallDetails): string {
  const { at, agent, tool, operation } = row;
  const effects = verdicts.map(({ decision, effect }) => `${decision} ${effect.action} ${effect.target}`).join("; ");
  const by = approvedBy === undefined ? "" : `  approved by ${approvedBy}`;
  const who = client === undefined ? agent : `${agent} (${client})`;
  return `${at}  ${who}  ${tool}${operation === null ? "" : ` ${operation}`}  ${end}  ${effects}${by}`;
}
