import { randomBytes } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import type { ApprovalRequests, NewApprovalRequest, RequestAnswer } from "./approval-requests.ts";
import type { Documents } from "./documents.ts";

interface RequestDocument extends Omit<NewApprovalRequest, "waitMs"> {
  readonly id: string;
  readonly at: string;
  readonly expiresAt: string;
  readonly answer?: RequestAnswer;
}

const APPROVALS = "approvals";
/** Questions are forgotten this long after nobody waits for them. */
const KEPT_MS = 86_400_000;

/** Questions to people in plain files. Contract: that of `ApprovalRequests`. */
export function createFileApprovals(documents: Documents, clock: () => Date = () => new Date()): ApprovalRequests {
  const isWaiting = ({ answer, expiresAt }: RequestDocument): boolean =>
    answer === undefined && new Date(expiresAt) > clock();
  return {
    add: ({ waitMs, ...request }) =>
      documents.change(async (change) => {
        const now = clock().getTime();
        for (const old of await change.list<RequestDocument>(APPROVALS))
          if (new Date(old.expiresAt).getTime() + KEPT_MS < now) change.remove(APPROVALS, old.id);
        const id = randomBytes(4).toString("hex");
        const times = { at: new Date(now).toISOString(), expiresAt: new Date(now + waitMs).toISOString() };
        change.set(APPROVALS, id, { ...request, id, ...times } satisfies RequestDocument);
        return id;
      }),
    pending: () =>
      documents.look(async (view) =>
        (await view.list<RequestDocument>(APPROVALS))
          .filter(isWaiting)
          .toSorted((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1))
          .map(({ answer: _, at, expiresAt, ...row }) => ({
            ...row,
            at: new Date(at),
            expiresAt: new Date(expiresAt),
          })),
      ),
    answer: (id, answer) =>
      documents.change(async (change) => {
        const request = await change.get<RequestDocument>(APPROVALS, id);
        if (request === undefined || !isWaiting(request)) {
          throw new IkigaiError("not_found", `No question ${JSON.stringify(id)} waits for an answer`, {
            hint: "See ikigai permission pending.",
          });
        }
        change.set(APPROVALS, id, { ...request, answer });
      }),
    answerTo: (id) => documents.look(async (view) => (await view.get<RequestDocument>(APPROVALS, id))?.answer),
    withdraw: (id) =>
      documents.change(async (change) => {
        const request = await change.get<RequestDocument>(APPROVALS, id);
        if (request !== undefined) change.set(APPROVALS, id, { ...request, expiresAt: clock().toISOString() });
      }),
  };
}
