import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalRequest, Approver, Effect, Verdict } from "@ikigai/core";
import { type GrantDuration, type Grants, mountPattern, type NewGrant, proposePattern } from "@ikigai/permission";
import { renderDiff } from "./render-diff.ts";
import type { Terminal } from "./terminal.ts";

const DURATIONS: Readonly<Record<string, GrantDuration>> = { s: "session", p: "project", u: "user" };
const DIFF_LINES = 60;
/** How long a person may take. */
const WAIT_MS = 300_000;

/**
 * Asks the person at the terminal: once, never, or from now on.
 *
 * Contract: one question at a time; anything but a clear yes is no; what needs a person each time is never granted.
 */
export function approveInTerminal(terminal: Terminal, grants: Grants, waitMs: number = WAIT_MS): Approver {
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const next = last.then(() => withinTime(ask(request, terminal, grants), waitMs, request.signal));
    last = next.catch(() => {});
    return next;
  };
}

/** Nobody there is no. */
async function withinTime(
  answer: Promise<ApprovalAnswer>,
  waitMs: number,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const waiting = new AbortController();
  const late = wait(
    waitMs,
    { approved: false, reason: `nobody answered within ${Math.round(waitMs / 1_000)} s` } as const,
    {
      signal: AbortSignal.any([waiting.signal, signal]),
    },
  ).catch((): ApprovalAnswer => ({ approved: false, reason: "the call was stopped" }));
  try {
    return await Promise.race([answer, late]);
  } finally {
    waiting.abort();
  }
}

async function ask(request: ApprovalRequest, terminal: Terminal, grants: Grants): Promise<ApprovalAnswer> {
  await show(request, terminal);
  const offers = offersFor(request.verdicts);
  for (const [key, { text }] of Object.entries(offers)) terminal.note(`  [${key}] ${text}`);
  const answer = (
    await terminal.ask(
      `Allow it? [y] once, [n] no${Object.keys(offers)
        .map((key) => `, [${key}]`)
        .join("")}: `,
    )
  )
    .trim()
    .toLowerCase();
  if (answer === "y" || answer === "yes") return { approved: true, by: "terminal" };
  const offer = offers[answer];
  if (offer === undefined) {
    const reason = (await terminal.ask("Why not? (the model reads it; empty for no reason) ")).trim();
    return { approved: false, by: "terminal", ...(reason !== "" && { reason }) };
  }
  const asked = (await terminal.ask("For how long? [s] this session, [p] this project, [u] you everywhere: "))
    .trim()
    .toLowerCase();
  const duration = DURATIONS[asked] ?? "session";
  for (const grant of offer.grants) await grants.add({ ...grant, duration });
  return { approved: true, by: `terminal, for the ${duration}` };
}

async function show({ tool, operation, verdicts, preview }: ApprovalRequest, terminal: Terminal): Promise<void> {
  const shown = await preview().catch(() => undefined);
  terminal.note("\nPermission required");
  terminal.note(`  Tool:        ${tool}`);
  if (operation !== undefined) terminal.note(`  Operation:   ${operation}`);
  if (shown !== undefined) terminal.note(`  Description: ${shown.description}`);
  for (const { effect, trace } of verdicts) {
    terminal.note(`  Action:      ${effect.action}`);
    terminal.note(`  Location:    ${effect.target}`);
    terminal.note(`  Because:     ${trace.find(({ decision }) => decision === "ask")?.reason ?? ""}`);
  }
  if (shown?.after !== undefined) terminal.note(`  New size:    ${Buffer.byteLength(shown.after)} bytes`);
  if (shown?.count !== undefined && shown.count !== 1) terminal.note(`  Affects:     ${shown.count} things`);
  if (shown?.warning !== undefined) terminal.note(`  Warning:     ${shown.warning}`);
  if (shown?.before === undefined && shown?.after === undefined) return;
  terminal.show(renderDiff(shown.before ?? "", shown.after ?? "", DIFF_LINES, terminal.colours));
}

interface Offer {
  readonly text: string;
  readonly grants: readonly Omit<NewGrant, "duration">[];
}

/** What may be granted from now on: nothing that needs a person, and of what needs a named path only the path. */
function offersFor(verdicts: readonly Verdict[]): Readonly<Record<string, Offer>> {
  if (verdicts.some(({ needs }) => needs === "person")) return {};
  const effects = verdicts.map(({ effect }) => effect);
  const named = verdicts.some(({ needs }) => needs === "grant");
  const always = named ? undefined : offer(effects, (effect) => whole(mountPattern(effect)), false);
  const pattern = offer(effects, proposePattern, true);
  return {
    ...(always !== undefined && { a: { ...always, text: `always ${always.text}` } }),
    ...(pattern !== undefined && { p: { ...pattern, text: `always ${pattern.text}` } }),
  };
}

function whole(pattern: string | undefined): ReturnType<typeof proposePattern> {
  return pattern === undefined ? undefined : { pattern, kind: "address" };
}

function offer(
  effects: readonly Effect[],
  propose: (effect: Effect) => ReturnType<typeof proposePattern>,
  namesTarget: boolean,
): Offer | undefined {
  const grants = effects.map((effect) => {
    const proposed = propose(effect);
    return proposed && { ...proposed, actions: [effect.action], namesTarget };
  });
  const complete = grants.filter((grant) => grant !== undefined);
  if (complete.length !== effects.length) return undefined;
  return {
    text: complete.map(({ actions, pattern }) => `${actions.join(", ")} ${pattern}`).join("; "),
    grants: complete,
  };
}
