import type { Effect } from "@ikigai/core";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  describeApproval,
  type Verdict,
} from "@ikigai/core/host";
import { type GrantDuration, type Grants, mountPattern, type NewGrant, proposePattern } from "@ikigai/permission";
import { askAbout } from "./ask-about.ts";
import { asksPartner, PARTNER, diffLines } from "@ikigai/host/policy";
import { escapeText } from "@ikigai/terminal";
import type { Terminal } from "./terminal.ts";

const DURATIONS: Readonly<Record<string, GrantDuration>> = { s: "session", p: "project", u: "user" };
const DURATION_KEYS = { s: "this session", p: "this project", u: "you everywhere", n: "no" };
/** A longer one cannot be kept. */
const LONGEST_RULE = 1_000;
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
 * Contract: one question at a time; anything but a clear yes is no; what needs a person each time is never granted. A
 * question that expires says so and is gone: what is typed later allows nothing and grants nothing.
 */
export function approveInTerminal(terminal: Terminal, grants: Grants, options: TerminalApprovalOptions = {}): Approver {
  const { partner } = options;
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const next = last.then(async () => {
      const answer = await askInTime(request, terminal, grants, options);
      return answer === LET_PARTNER_ANSWER && partner !== undefined ? partner(request) : answer;
    });
    last = next.catch(() => {});
    return next;
  };
}

/** Nobody there is no. */
async function askInTime(
  request: ApprovalRequest,
  terminal: Terminal,
  grants: Grants,
  options: TerminalApprovalOptions,
): Promise<ApprovalAnswer> {
  const { waitMs = WAIT_MS } = options;
  const expiry = new AbortController();
  const timer = setTimeout(() => expiry.abort(), waitMs);
  const signal = AbortSignal.any([expiry.signal, request.signal]);
  const gone = new Promise<"gone">((resolve) => {
    if (signal.aborted) resolve("gone");
    signal.addEventListener("abort", () => resolve("gone"), { once: true });
  });
  try {
    const answer = await Promise.race([ask(request, terminal, grants, options, signal), gone]);
    if (answer !== "gone" && !signal.aborted) return answer;
    if (!expiry.signal.aborted) return { approved: false, reason: "the call was stopped" };
    const seconds = Math.round(waitMs / 1_000);
    say(terminal, `The question expired: nobody answered within ${seconds} s, so nothing was allowed.`);
    return { approved: false, unanswered: true, reason: `nobody answered within ${seconds} s` };
  } finally {
    clearTimeout(timer);
  }
}

async function ask(
  request: ApprovalRequest,
  terminal: Terminal,
  grants: Grants,
  { coversCommand, partner }: TerminalApprovalOptions,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const { heading, what, change, given, why } = await describeApproval(request, { diff: diffLines });
  const offers = offersFor(request.verdicts, coversCommand);
  const leaves = partner !== undefined && asksPartner(request);
  const question = {
    heading: `Permission required: ${heading}`,
    lines: [...what, ...given],
    change,
    details: why,
  };
  const keys = {
    y: "once",
    n: "no",
    r: "no, and say why",
    ...Object.fromEntries(Object.entries(offers).map(([key, { label }]) => [key, label])),
    ...(leaves && { w: `wait for the ${PARTNER}` }),
  };
  const key = await askAbout(terminal, question, { question: "Allow it?", keys }, signal);
  if (key === "y") return { approved: true, by: approvedBy(request) };
  if (key === "w") return LET_PARTNER_ANSWER;
  if (key === "r") {
    const reason = (await terminal.ask("Why not? (the model reads it) ", signal)).trim();
    return { approved: false, by: "terminal", ...(reason !== "" && { reason }) };
  }
  const offer = key === undefined ? undefined : offers[key];
  if (offer === undefined) return { approved: false, by: "terminal" };
  return grantFromNowOn(offer, terminal, grants, signal);
}

async function grantFromNowOn(
  { grants: offered }: Offer,
  terminal: Terminal,
  grants: Grants,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const lines = offered.map(({ actions, pattern }) => `${actions.join(", ")} ${pattern}`);
  const question = { heading: "From now on, without being asked:", lines };
  const key = await askAbout(terminal, question, { question: "For how long?", keys: DURATION_KEYS }, signal);
  const duration = key === undefined ? undefined : DURATIONS[key];
  if (duration === undefined || signal.aborted) return { approved: false, by: "terminal" };
  for (const grant of offered) await grants.add({ ...grant, duration });
  return { approved: true, by: `terminal, for the ${duration}` };
}

/** Who said yes: the person that was asked for, as the one at the terminal. */
function approvedBy({ verdicts }: ApprovalRequest): string {
  const people = new Set(verdicts.flatMap(({ person }) => person ?? []));
  return people.size === 0 ? "terminal" : `terminal, as ${[...people].join(" and ")}`;
}

function say(terminal: Terminal, line: string): void {
  const text = escapeText(line);
  if (terminal.tell === undefined) terminal.show(text);
  else terminal.tell(text);
}

interface Offer {
  /** What its key says. The patterns themselves are shown before anything is granted. */
  readonly label: string;
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
  const isCommand = effects.some(({ action }) => action === "execute");
  return {
    ...(always !== undefined && { a: { label: "always", grants: always } }),
    ...(pattern !== undefined && {
      f: { label: `always for this ${isCommand ? "command" : "folder"}`, grants: pattern },
    }),
  };
}

/** What a grant could really cover: a command that is not understood is asked for each time, whatever was granted. */
function proposeUseful(
  effect: Effect,
  covers: TerminalApprovalOptions["coversCommand"],
): ReturnType<typeof proposePattern> {
  const proposed = proposePattern(effect);
  if (proposed?.kind !== "command") return proposed;
  const rules = [proposed.pattern, effect.target].filter((rule) => rule.length <= LONGEST_RULE);
  const pattern = rules.find((rule) => covers?.(rule, effect.target) === true);
  return pattern === undefined ? undefined : { pattern, kind: "command" };
}

function whole(pattern: string | undefined): ReturnType<typeof proposePattern> {
  return pattern === undefined ? undefined : { pattern, kind: "address" };
}

function offer(
  effects: readonly Effect[],
  propose: (effect: Effect) => ReturnType<typeof proposePattern>,
  namesTarget: boolean,
): Offer["grants"] | undefined {
  const grants = effects.flatMap((effect) => {
    const proposed = propose(effect);
    return proposed === undefined ? [] : [{ ...proposed, actions: [effect.action], namesTarget }];
  });
  return grants.length === effects.length && grants.length > 0 ? grants : undefined;
}
