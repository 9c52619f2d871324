/** A question to a person who is not at hand. */
export interface NewApprovalRequest {
  readonly agent: string;
  readonly tool: string;
  readonly operation?: string;
  /** Who is asked, such as `partner`. */
  readonly person: string;
  /** What is asked, for people. */
  readonly question: string;
  /** Milliseconds until no answer is a no. */
  readonly waitMs: number;
}

export interface ApprovalRequestRow extends Omit<NewApprovalRequest, "waitMs"> {
  readonly id: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

export interface RequestAnswer {
  readonly approved: boolean;
  readonly by: string;
  readonly reason?: string;
}

/** Questions that wait in the store until somebody answers them from another process. */
export interface ApprovalRequests {
  /** Asks. Gives the id to answer with. */
  add(request: NewApprovalRequest): Promise<string>;
  /** Those that wait, oldest first. */
  pending(): Promise<readonly ApprovalRequestRow[]>;
  /** Contract: the first answer counts; `not_found` for a question that is unknown, answered, taken back or too old. */
  answer(id: string, answer: RequestAnswer): Promise<void>;
  /** The answer to a question, if there is one yet. */
  answerTo(id: string): Promise<RequestAnswer | undefined>;
  /** Takes a question back. */
  withdraw(id: string): Promise<void>;
}
