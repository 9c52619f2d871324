import { type ApprovalAnswer, type ApprovalRequest, decidingReason, type Preview } from "@ikigai/core";
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { visibleText } from "./visible-text.ts";

const MAX_TARGET = 500;
const MAX_TEXT = 1_500;

/** What a person is asked about a call, as an MCP client shows it. */
export async function approvalForm(request: ApprovalRequest): Promise<ElicitRequestFormParams> {
  const operation = request.operation === undefined ? "" : ` ${request.operation}`;
  const lines = [`${request.tool}${operation} wants to:`];
  for (const verdict of request.verdicts) {
    const { effect, person } = verdict;
    const asked = person === undefined ? "" : `, asks ${person}`;
    const reason = visibleText(decidingReason(verdict), MAX_TARGET);
    lines.push(`- ${effect.action} ${visibleText(effect.target, MAX_TARGET)} (${reason}${asked})`);
  }
  lines.push(...previewLines(await request.preview()));
  return {
    message: lines.join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "Allow it?", enum: ["deny", "allow"] },
      },
      required: ["decision"],
    },
  };
}

/** Contract: only an accepted form that says `allow` approves; a form that was closed is no person's no. */
export function approvalAnswer(action: string, content: unknown, by: string): ApprovalAnswer {
  const decision = typeof content === "object" && content !== null && "decision" in content ? content.decision : "";
  if (action === "accept" && decision === "allow") return { approved: true, by };
  if (action !== "cancel") return { approved: false, by, reason: "the answer was no" };
  // Clients that run without a person cancel every question by themselves.
  return { approved: false, by, unanswered: true, reason: "the question was closed without an answer" };
}

function previewLines(preview: Preview | undefined): string[] {
  if (preview === undefined) return [];
  const { description, before, after, count, warning } = preview;
  return [
    visibleText(description, MAX_TEXT),
    ...(count === undefined ? [] : [`Affected: ${count}`]),
    ...(warning === undefined ? [] : [`Warning: ${visibleText(warning, MAX_TEXT)}`]),
    ...(before === undefined ? [] : ["Before:", visibleText(before, MAX_TEXT)]),
    ...(after === undefined ? [] : ["After:", visibleText(after, MAX_TEXT)]),
  ];
}
