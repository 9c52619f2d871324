import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalRequest, Approver, Effect, Verdict } from "@ikigai/core";
import { type GrantDuration, type Grants, mountPattern, type NewGrant, proposePattern } from "@ikigai/permission";
import { asksPartner } from "./ask-partner.ts";
import { renderDiff } from "./render-diff.ts";
import { escapeText, type Terminal } from "./terminal.ts";

/** An empty answer is the shortest. */
const DURATIONS: ReadonlyMap<string, GrantDuration> = new Map(
  (["session", "project", "user"] as const).flatMap((word) => [
    [word, word] as const,
    [word.slice(0, 1), word] as const,
  ]),
).set("", "session");
const DIFF_LINES = 60;
/** How long a person may take. */
const WAIT_MS = 300_000;

export interface TerminalApprovalOptions {
  /** Milliseconds a person may take. Default 300,000. */
  readonly waitMs?: number;
  /** Whether a rule for commands would allow a command. Absent: none would. */
  readonly coversCommand?: (rule: string, command: string) => boolean;
  /** Asks the partner, when the person at the terminal is not that one. */
  readonly partner?: Approver;
}

/** The person at the terminal leaves the answer to the partner. */
const LET_PARTNER_ANSWER: ApprovalAnswer = { approved: false };

/**
 * Asks the person at the terminal: once, never, or from now on.
 *
 * Contract: one question at a time; anything but a clear yes is no; what needs a person each time is never granted.
 */
export function approveInTerminal(terminal: Terminal, grants: Grants, options: TerminalApprovalOptions = {}): Approver {
  const { waitMs = WAIT_MS, partner } = options;
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const next = last.then(async () => {
      const answer = await withinTime(ask(request, terminal, grants, options), waitMs, request.signal);
      return answer === LET_PARTNER_ANSWER && partner !== undefined ? partner(request) : answer;
    });
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
    { approved: false, unanswered: true, reason: `nobody answered within ${Math.round(waitMs / 1_000)} s` } as const,
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

async function ask(
  request: ApprovalRequest,
  terminal: Terminal,
  grants: Grants,
  { coversCommand, partner }: TerminalApprovalOptions,
): Promise<ApprovalAnswer> {
  await show(request, terminal);
  const offers = offersFor(request.verdicts, coversCommand);
  const leaves = partner !== undefined && asksPartner(request);
  if (leaves) say(terminal, `  [w] you are not the partner: wait for their own answer`);
  for (const [key, { text }] of Object.entries(offers)) say(terminal, `  [${key}] ${text}`);
  const answer = (
    await terminal.ask(
      `Allow it? [y] once, [n] no${Object.keys(offers)
        .map((key) => `, [${key}]`)
        .join("")}${leaves ? ", [w]" : ""}: `,
    )
  )
    .trim()
    .toLowerCase();
  if (answer === "y" || answer === "yes") return { approved: true, by: approvedBy(request) };
  if (leaves && answer === "w") return LET_PARTNER_ANSWER;
  const offer = offers[answer];
  if (offer === undefined) {
    const reason = (await terminal.ask("Why not? (the model reads it; empty for no reason) ")).trim();
    return { approved: false, by: "terminal", ...(reason !== "" && { reason }) };
  }
  const duration = await askDuration(terminal);
  for (const grant of offer.grants) await grants.add({ ...grant, duration });
  return { approved: true, by: `terminal, for the ${duration}` };
}

async function askDuration(terminal: Terminal): Promise<GrantDuration> {
  for (;;) {
    const asked = await terminal.ask("For how long? [s] this session, [p] this project, [u] you everywhere: ");
    const duration = DURATIONS.get(asked.trim().toLowerCase());
    if (duration !== undefined) return duration;
    say(terminal, `  ${JSON.stringify(asked.trim())} is none of s, p and u.`);
  }
}

/** Who said yes: the person that was asked for, as the one at the terminal. */
function approvedBy({ verdicts }: ApprovalRequest): string {
  const people = new Set(verdicts.flatMap(({ person }) => person ?? []));
  return people.size === 0 ? "terminal" : `terminal, as ${[...people].join(" and ")}`;
}

async function show({ tool, operation, verdicts, preview }: ApprovalRequest, terminal: Terminal): Promise<void> {
  const shown = await preview().catch(() => undefined);
  say(terminal, "\nPermission required");
  say(terminal, `  Tool:        ${tool}`);
  if (operation !== undefined) say(terminal, `  Operation:   ${operation}`);
  if (shown !== undefined) say(terminal, `  Description: ${shown.description}`);
  for (const { effect, trace, person } of verdicts) {
    say(terminal, `  Action:      ${effect.action}`);
    say(terminal, `  Location:    ${effect.target}`);
    say(terminal, `  Because:     ${askingReason(trace)}`);
    if (person !== undefined) say(terminal, `  Asks:        the ${person}`);
  }
  if (shown?.after !== undefined) say(terminal, `  New size:    ${Buffer.byteLength(shown.after)} bytes`);
  if (shown?.count !== undefined && shown.count !== 1) say(terminal, `  Affects:     ${shown.count} things`);
  if (shown?.warning !== undefined) say(terminal, `  Warning:     ${shown.warning}`);
  if (shown?.before === undefined && shown?.after === undefined) return;
  tell(terminal, renderDiff(shown.before ?? "", shown.after ?? "", DIFF_LINES, terminal.colours));
}

/** The reason that only a person can answer, if there is one, and else the first. */
function askingReason(trace: Verdict["trace"]): string {
  const asks = trace.filter(({ decision }) => decision === "ask");
  return (asks.find(({ needs }) => needs === "person") ?? asks[0])?.reason ?? "";
}

function tell(terminal: Terminal, text: string): void {
  if (terminal.tell === undefined) terminal.show(text);
  else terminal.tell(text);
}

function say(terminal: Terminal, line: string): void {
  tell(terminal, escapeText(line));
}

interface Offer {
  readonly text: string;
  readonly grants: readonly Omit<NewGrant, "duration">[];
}

/** What may be granted from now on: nothing that needs a person, and of what needs a named path only the path. */
function offersFor(
  verdicts: readonly Verdict[],
  covers: TerminalApprovalOptions["coversCommand"],
): Readonly<Record<string, Offer>> {
  if (verdicts.some(({ needs }) => needs === "person")) return {};
  const effects = verdicts.map(({ effect }) => effect);
  const named = verdicts.some(({ needs }) => needs === "grant");
  const always = named ? undefined : offer(effects, (effect) => whole(mountPattern(effect)), false);
  const pattern = offer(effects, (effect) => proposeUseful(effect, covers), true);
  return {
    ...(always !== undefined && { a: { ...always, text: `always ${always.text}` } }),
    ...(pattern !== undefined && { p: { ...pattern, text: `always ${pattern.text}` } }),
  };
}

/** What a grant could really cover: a command that is not understood is asked for each time, whatever was granted. */
function proposeUseful(
  effect: Effect,
  covers: TerminalApprovalOptions["coversCommand"],
): ReturnType<typeof proposePattern> {
  const proposed = proposePattern(effect);
  if (proposed?.kind !== "command") return proposed;
  const pattern = [proposed.pattern, effect.target].find((rule) => covers?.(rule, effect.target) === true);
  return pattern === undefined ? undefined : { pattern, kind: "command" };
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
