import { randomBytes } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import type { Database } from "@ikigai/database";
import type { ApprovalRequestRow, ApprovalRequests } from "@ikigai/memory";

export function createApprovalRequests(database: Database): ApprovalRequests {
  return {
    async add({ agent, tool, operation, person, question, waitMs }) {
      const id = randomBytes(4).toString("hex");
      await database.query(
        `insert into approval_request (id, at, expires_at, agent, tool, operation, person, question)
         values ($1, clock_timestamp(), clock_timestamp() + $2 * interval '1 millisecond', $3, $4, $5, $6, $7)`,
        [id, waitMs, agent, tool, operation ?? null, person, question],
      );
      return id;
    },
    async pending() {
      const { rows } = await database.query<PendingRow>(
        `select id, at, expires_at, agent, tool, operation, person, question from approval_request
         where approved is null and expires_at > clock_timestamp() order by at, id`,
      );
      return rows.map(({ expires_at, operation, ...row }) => ({
        ...row,
        expiresAt: expires_at,
        ...(operation !== null && { operation }),
      }));
    },
    async answer(id, { approved, by, reason }) {
      const { rows } = await database.query(
        `update approval_request set approved = $2, answered_by = $3, reason = $4
         where id = $1 and approved is null and expires_at > clock_timestamp() returning id`,
        [id, approved, by, reason ?? null],
      );
      if (rows.length > 0) return;
      throw new IkigaiError("not_found", `No question ${JSON.stringify(id)} waits for an answer`, {
        hint: "See ikigai permission pending.",
      });
    },
    async answerTo(id) {
      const { rows } = await database.query<{ approved: boolean; answered_by: string; reason: string | null }>(
        "select approved, answered_by, reason from approval_request where id = $1 and approved is not null",
        [id],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      return { approved: row.approved, by: row.answered_by, ...(row.reason !== null && { reason: row.reason }) };
    },
    async withdraw(id) {
      await database.query("update approval_request set expires_at = clock_timestamp() where id = $1", [id]);
    },
  };
}

interface PendingRow extends Omit<ApprovalRequestRow, "expiresAt" | "operation"> {
  readonly expires_at: Date;
  readonly operation: string | null;
}
