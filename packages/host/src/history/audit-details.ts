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

/** What was decided on a call, from its row. */
export function detailsOf({ details }: Pick<AuditRow, "details">): CallDetails {
  return { verdicts: [], ...(JSON.parse(details) as Partial<CallDetails>) };
}
