import { completeHistory, type Exchange, type Message, spoken, toExchanges } from "../messages.ts";

/** How many tokens a text costs. Contract: pure, and never less for a longer text of the same kind. */
export type CountTokens = (text: string) => number;

export interface Window {
  /** Messages that the model sees, valid for every provider. */
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** Exchanges that the model does not see any more, oldest first. */
  readonly evicted: readonly Exchange[];
  /** Texts that had to be cut, and steps left out, so that the newest exchange fits. */
  readonly shortened: number;
}

export interface WindowOptions {
  /** Tokens the messages may have. */
  readonly budget: number;
  readonly count: CountTokens;
  /** Exchanges that were evicted before; they stay out. */
  readonly evictedBefore?: number;
}

/** When the window is full it is emptied to this share, so that its beginning stays the same for many turns. */
const KEEP_SHARE = 0.7;
const MESSAGE_OVERHEAD = 4;
/** Texts up to this length are never cut: what is said of a cut has a length of its own. */
const SHORTEST = 400;

/**
 * The newest whole exchanges that fit.
 *
 * Contract: the newest exchange is always there; within it the longest texts are cut when they must be, then its oldest
 * steps are left out, and both say so. Its question and its last step stay. No call is ever without its result.
 */
export function slideWindow(messages: readonly Message[], { budget, count, evictedBefore = 0 }: WindowOptions): Window {
  const exchanges = toExchanges(completeHistory(messages));
  const costs = exchanges.map((exchange) => cost(exchange.messages, count));
  let start = Math.min(evictedBefore, Math.max(0, exchanges.length - 1));
  let tokens = sum(costs.slice(start));
  if (tokens > budget) {
    while (start < exchanges.length - 1 && tokens > budget * KEEP_SHARE) tokens -= costs[start++] as number;
  }
  const kept = exchanges.slice(start).flatMap((exchange) => exchange.messages);
  const fitted = tokens > budget ? squeeze(kept, budget, count) : { messages: kept, tokens, shortened: 0 };
  return { ...fitted, evicted: exchanges.slice(0, start) };
}

/** A message never changes and is in many requests, so each is counted once. */
const COUNTED = new WeakMap<CountTokens, WeakMap<Message, number>>();

/** The tokens of messages as a request carries them. */
export function cost(messages: readonly Message[], count: CountTokens): number {
  const counted = COUNTED.get(count) ?? new WeakMap<Message, number>();
  COUNTED.set(count, counted);
  return messages.reduce((total, message) => {
    const tokens = counted.get(message) ?? count(textOf(message));
    counted.set(message, tokens);
    return total + tokens + MESSAGE_OVERHEAD;
  }, 0);
}

function textOf(message: Message): string {
  if (message.role === "tool") return message.envelope;
  if (message.role !== "assistant") return message.text;
  return `${spoken(message)}${message.calls.map(({ name, arguments: input }) => `${name}${input}`).join("")}`;
}

function squeeze(messages: readonly Message[], budget: number, count: CountTokens): Omit<Window, "evicted"> {
  const shorter = shorten(messages, budget, count);
  return shorter.tokens > budget ? dropSteps(shorter, budget, count) : shorter;
}

/** Leaves out the oldest steps of a turn that has very many, each with its results. */
function dropSteps(
  { messages, shortened }: Omit<Window, "evicted">,
  budget: number,
  count: CountTokens,
): Omit<Window, "evicted"> {
  const first = messages.findIndex(({ role }) => role === "assistant");
  const steps = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  for (const [dropped, from] of steps.entries()) {
    if (dropped === 0) continue;
    const opening = messages.slice(0, first);
    const note = `[${dropped} earlier ${dropped === 1 ? "step" : "steps"} of this turn are not shown]`;
    const last = opening.at(-1);
    const told = last?.role === "user" || last?.role === "event" ? [{ ...last, text: `${last.text}\n${note}` }] : [];
    const kept = [...opening.slice(0, -1), ...told, ...messages.slice(from)];
    const tokens = cost(kept, count);
    if (tokens <= budget || dropped === steps.length - 1)
      return { messages: kept, tokens, shortened: shortened + dropped };
  }
  return { messages, tokens: cost(messages, count), shortened };
}

/** Cuts the longest texts until the rest fits, or nothing is left to cut. */
function shorten(messages: readonly Message[], budget: number, count: CountTokens): Omit<Window, "evicted"> {
  let current = [...messages];
  let tokens = cost(current, count);
  let shortened = 0;
  while (tokens > budget) {
    const longest = current.reduce<number>(
      (best, message, index) => (length(message) > length(current[best]) ? index : best),
      0,
    );
    const message = current[longest];
    if (message === undefined || length(message) <= SHORTEST) break;
    current = current.with(longest, cut(message, Math.floor(length(message) / 2)));
    tokens = cost(current, count);
    shortened++;
  }
  return { messages: current, tokens, shortened };
}

function length(message: Message | undefined): number {
  if (message === undefined) return 0;
  if (message.role === "tool") return message.envelope.length;
  if (message.role !== "assistant") return message.text.length;
  return Math.max(message.text.length, ...message.calls.map(({ arguments: input }) => input.length));
}

function cut(message: Message, keep: number): Message {
  if (message.role === "tool") return { ...message, envelope: mark(message.envelope, keep) };
  if (message.role !== "assistant") return { ...message, text: mark(message.text, keep) };
  return {
    ...message,
    text: message.text.length > keep ? mark(message.text, keep) : message.text,
    // Shortened arguments stay JSON, since providers want an object back.
    calls: message.calls.map((call) =>
      call.arguments.length > keep
        ? { ...call, arguments: JSON.stringify({ cut: mark(call.arguments, Math.floor(keep / 4)) }) }
        : call,
    ),
  };
}

function mark(text: string, keep: number): string {
  const end = text.charCodeAt(keep - 1) >= 0xd800 && text.charCodeAt(keep - 1) <= 0xdbff ? keep - 1 : keep;
  return `${text.slice(0, end)}… [cut: ${text.length - end} characters are not shown]`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
