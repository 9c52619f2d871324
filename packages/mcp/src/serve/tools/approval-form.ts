import { type ApprovalAnswer, type ApprovalRequest, describeApproval } from "@ikigai/core/host";
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";

/** The answer to a form that there is more to see. */
export const SHOW_MORE = "show_more";

/** Characters of one form. Clients show a form whole, in a window that is not made for files. */
const MAX_FORM = 8_000;
const LONGEST_LINE = 2_000;
/** Marks a line as somebody else's text, and the rest of one that was too long. */
const FRAME = "│ ";
const FRAME_ON = "┊ ";

/**
 * What a person is asked about a call, as an MCP client shows it: a form, and further ones for what does not fit.
 *
 * Contract: all of what the call will do is in them. Every line that may be a stranger's text is marked as such.
 */
export async function approvalForms(request: ApprovalRequest): Promise<readonly ElicitRequestFormParams[]> {
  const { heading, what, change, given } = await describeApproval(request);
  const pages = toPages([...what, ...change, ...given].flatMap(framed));
  return pages.map((page, index) => {
    const part = pages.length === 1 ? "" : ` (part ${index + 1} of ${pages.length})`;
    const isLast = index === pages.length - 1;
    const rest = isLast ? [] : [`Choose ${SHOW_MORE} to see the rest.`];
    return {
      message: [`${heading} wants to${part}:`, ...page, ...rest].join("\n"),
      requestedSchema: {
        type: "object",
        properties: {
          decision: { type: "string", title: "Allow it?", enum: ["deny", "allow", ...(isLast ? [] : [SHOW_MORE])] },
        },
        required: ["decision"],
      },
    };
  });
}

/** Contract: only an accepted form that says `allow` approves; a form that was closed is no person's no. */
export function approvalAnswer(action: string, content: unknown, by: string): ApprovalAnswer | typeof SHOW_MORE {
  const decision = typeof content === "object" && content !== null && "decision" in content ? content.decision : "";
  if (action === "accept" && decision === "allow") return { approved: true, by };
  if (action === "accept" && decision === SHOW_MORE) return SHOW_MORE;
  if (action !== "cancel") return { approved: false, by, reason: "the answer was no" };
  // Clients that run without a person cancel every question by themselves.
  return { approved: false, by, unanswered: true, reason: "the question was closed without an answer" };
}

/** Puts the forms one after the other until one is answered. Contract: none left to show is a no. */
export async function askByForms(
  request: ApprovalRequest,
  ask: (form: ElicitRequestFormParams) => Promise<ApprovalAnswer | typeof SHOW_MORE>,
): Promise<ApprovalAnswer> {
  for (const form of await approvalForms(request)) {
    const answer = await ask(form);
    if (answer !== SHOW_MORE) return answer;
  }
  return { approved: false, reason: "the answer was no" };
}

function framed(line: string): string[] {
  const rows: string[] = [];
  for (let at = 0; at === 0 || at < line.length; at += LONGEST_LINE) {
    rows.push(`${at === 0 ? FRAME : FRAME_ON}${line.slice(at, at + LONGEST_LINE).toWellFormed()}`);
  }
  return rows;
}

function toPages(rows: readonly string[]): string[][] {
  const pages: string[][] = [[]];
  let size = 0;
  for (const row of rows) {
    if (size + row.length > MAX_FORM && size > 0) {
      pages.push([]);
      size = 0;
    }
    pages.at(-1)?.push(row);
    size += row.length + 1;
  }
  return pages;
}
