import { setTimeout as wait } from "node:timers/promises";
import { type ApprovalAnswer, type ApprovalRequest, type Approver, describeApproval } from "@ikigai/core/host";
import { createRedactor } from "@ikigai/permission";
import type { ApprovalRequests } from "@ikigai/memory";
import { diffLines } from "./diff-lines.ts";

/** The person who is asked through the store, because nothing says that they sit at this terminal. */
export const PARTNER = "partner";

export interface AskPartnerOptions {
  readonly requests: ApprovalRequests;
  /** Milliseconds until no answer is a no. Default 300,000. */
  readonly waitMs?: number;
  /** Receives a message that says how the question can be answered. */
  readonly notify: (message: string) => void;
}

const WAIT_MS = 300_000;
const LOOK_EVERY_MS = 500;
/** Characters that are kept of a question. */
const MAX_QUESTION = 1_000_000;

/** Whether it is the partner who has to answer. */
export function asksPartner({ verdicts }: Pick<ApprovalRequest, "verdicts">): boolean {
  return verdicts.some(({ person }) => person === PARTNER);
}

/**
 * Puts a question into the store, and waits until somebody answers it with `ikigai permission approve` or `deny`.
 *
 * Contract: no answer in time is no. A call that is stopped takes its question back.
 */
export function askPartner({ requests, waitMs = WAIT_MS, notify }: AskPartnerOptions): Approver {
  return async (request) => {
    const { agent, tool, operation, signal } = request;
    const id = await requests.add({
      agent,
      tool,
      ...(operation !== undefined && { operation }),
      person: PARTNER,
      question: await questionOf(request),
      waitMs,
    });
    notify(`Waiting for the ${PARTNER}: ikigai permission approve ${id}, or ikigai permission deny ${id}`);
    const until = Date.now() + waitMs;
    try {
      while (Date.now() < until) {
        const answer = await requests.answerTo(id);
        if (answer !== undefined) return toAnswer(answer);
        await wait(Math.min(LOOK_EVERY_MS, waitMs), undefined, { signal });
      }
      return {
        approved: false,
        unanswered: true,
        reason: `the ${PARTNER} did not answer within ${Math.round(waitMs / 1_000)} s`,
      };
    } finally {
      await requests.withdraw(id);
    }
  };
}

/** `first`, and when nobody is there, the partner through the store. */
export function orAskPartner(first: Approver | undefined, partner: Approver): Approver {
  return async (request) => {
    const answer: ApprovalAnswer = (await first?.(request)) ?? { approved: false, absent: true };
    return !answer.approved && answer.absent === true && asksPartner(request) ? partner(request) : answer;
  };
}

function toAnswer({ approved, by, reason }: { approved: boolean; by: string; reason?: string }): ApprovalAnswer {
  return approved ? { approved, by } : { approved, by, ...(reason !== undefined && { reason }) };
}

/**
 * Text of a stored question: all that the call will do, for a person at another terminal. What looks like a secret
 * is not kept.
 */
async function questionOf(request: ApprovalRequest): Promise<string> {
  const { what, change, given } = await describeApproval(request, { diff: diffLines });
  const text = createRedactor().redact([...what, ...given, ...change].join("\n"));
  const hidden = text.length - MAX_QUESTION;
  return hidden > 0 ? `${text.slice(0, MAX_QUESTION).toWellFormed()}\n… ${hidden} more characters` : text;
}
