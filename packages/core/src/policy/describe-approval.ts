import type { ApprovalRequest } from "./approval.ts";
import { escapeHidden } from "../hidden-characters.ts";
import { decidingReason, type Verdict } from "./policy.ts";
import type { Preview } from "../tool/tool.ts";

/** Everything that a call will do, in lines that can be shown. */
export interface ApprovalText {
  /** The tool and its operation. */
  readonly heading: string;
  /** The call's effects, the tool's own description of them, and warnings. */
  readonly what: readonly string[];
  /** What changes in a text, as a difference by lines. */
  readonly change: readonly string[];
  /** The arguments of the call that neither `what` nor `change` shows. */
  readonly given: readonly string[];
  /** Who makes the call, and what each layer of the policy said of it. */
  readonly why: readonly string[];
}

export interface DescribeApprovalOptions {
  /** The difference of two texts by lines. Default: one hunk around everything that differs. */
  readonly diff?: (before: string, after: string) => readonly string[];
}

const CONTEXT = 3;
/** Shorter values may stand in another text by chance. */
const TELLING = 8;

/**
 * What a person must be able to see before saying yes, wherever they are asked.
 *
 * Contract: nothing that the call does is left out. Every line is one line, without characters that hide, reorder or
 * steer what is read; it may still be the text of a stranger, so whoever shows it marks it as such. Never rejects: without
 * a preview the arguments are shown instead.
 */
export async function describeApproval(
  request: ApprovalRequest,
  { diff = plainDiff }: DescribeApprovalOptions = {},
): Promise<ApprovalText> {
  const { tool, operation, verdicts, agent, input } = request;
  const shown = await request.preview().catch(() => undefined);
  const hasTexts = shown?.before !== undefined || shown?.after !== undefined;
  const told = [
    ...verdicts.map(({ effect }) => effect.target),
    ...[operation, shown?.description, shown?.before, shown?.after].filter((text) => text !== undefined),
  ];
  return {
    heading: escapeHidden(operation === undefined ? tool : `${tool} ${operation}`).replaceAll("\n", " "),
    what: safeLines([...verdicts.flatMap(effectLines), ...previewLines(shown, verdicts)]),
    change: hasTexts ? safeLines(diff(shown.before ?? "", shown.after ?? "")) : [],
    given: safeLines(argumentLines(input, (value) => isTold(value, told))),
    why: safeLines([`agent: ${agent}`, ...verdicts.flatMap(traceLines)]),
  };
}

/** The reason is shown where it is another than the approval mode. */
function effectLines(verdict: Verdict): string[] {
  const { effect, needs, person, trace } = verdict;
  const reason = decidingReason(verdict);
  const isMode = needs === "mode" && trace.some((step) => step.layer === "mode" && step.reason === reason);
  return [
    `${effect.action} ${effect.target}`,
    ...(isMode || trace.length === 0 ? [] : [`because ${reason}`]),
    ...(person === undefined ? [] : [`asks the ${person}`]),
  ];
}

/** Lines of a tool's preview, without what the difference of the texts already shows. */
function previewLines(preview: Preview | undefined, verdicts: readonly Verdict[]): string[] {
  if (preview === undefined) return [];
  const { description, before, after, count, warning } = preview;
  const isSaid =
    before !== undefined || after !== undefined || verdicts.some(({ effect }) => effect.target === description);
  return [
    ...(isSaid ? [] : [description]),
    ...(count === undefined || count === 1 ? [] : [`affects ${count} things`]),
    ...(after === undefined ? [] : [`new size ${Buffer.byteLength(after)} bytes`]),
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
  ];
}

function traceLines({ effect, trace }: Verdict): string[] {
  return trace.map(({ layer, decision, reason }) => `${effect.action}: ${layer} says ${decision}: ${reason}`);
}

function argumentLines(input: unknown, isShown: (value: unknown) => boolean): string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return input === undefined ? [] : [JSON.stringify(input)];
  }
  return Object.entries(input).flatMap(([name, value]) => {
    if (value === undefined || isShown(value)) return [];
    const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
    const lines = text.split(/\r\n|\r|\n/);
    return lines.length === 1 ? [`${name}: ${text}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
  });
}

/** Whether a text stands in another one. A short one has to stand for itself there, as a word or the end of a path. */
function isTold(value: unknown, told: readonly string[]): boolean {
  if (typeof value !== "string") return false;
  return told.some((text) => {
    const at = text.indexOf(value);
    if (at === -1 || value.length >= TELLING) return at !== -1;
    return /^$|[\s/'"]/.test(text.charAt(at - 1)) && /^$|[\s'"]/.test(text.charAt(at + value.length));
  });
}

function safeLines(texts: readonly string[]): string[] {
  return texts.flatMap((text) => escapeHidden(text).split("\n"));
}

/** A difference by lines: everything between the first and the last line that differ, with a few lines around it. */
function plainDiff(before: string, after: string): string[] {
  if (before === after) return [];
  const old = before === "" ? [] : before.split("\n");
  const now = after === "" ? [] : after.split("\n");
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const from = Math.max(0, start - CONTEXT);
  const until = old.length - end;
  return [
    `@@ line ${from + 1} → ${from + 1} @@`,
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, until).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...old.slice(until, until + CONTEXT).map((line) => ` ${line}`),
  ];
}
