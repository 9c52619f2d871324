/** What is wrong, by kind: which promise did not hold. */
export type FindingKind =
  | "forbidden change"
  | "undeclared change"
  | "no audit row"
  | "no journal row"
  | "not undone"
  | "canary ran"
  | "program started"
  | "read outside"
  | "defect"
  | "server lost";

export interface Finding {
  readonly kind: FindingKind;
  /** The number of the call, from 0. Absent: it was found at the end. */
  readonly call?: number;
  readonly detail: string;
}
