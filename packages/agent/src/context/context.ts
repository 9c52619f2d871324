import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ToolCard } from "@ikigai/core/host";
import { type CountTokens, slideWindow } from "./context-window.ts";
import { fence } from "./fence.ts";
import type { Exchange, Message } from "../messages.ts";
import { toModelTools, toPrompt } from "./prompt.ts";

/** A piece of text that is in every request. */
export interface ContextPart {
  /** Kind of the part: `guidance`, `pinned`, `summary` … */
  readonly kind: string;
  /** Where the part comes from: an address, or what made it. */
  readonly source: string;
  readonly version: string;
  readonly text: string;
  /** Why it is there. */
  readonly reason: string;
}

/** One line of what a request was made of. */
export interface ManifestEntry {
  readonly kind: string;
  readonly source: string;
  readonly version: string;
  readonly tokens: number;
  readonly reason: string;
  /** Against the last request of the turn before. */
  readonly change: "same" | "new" | "changed" | "gone";
}

export interface Manifest {
  readonly entries: readonly ManifestEntry[];
  readonly tokens: number;
  readonly limit: number;
  /** How many of the oldest exchanges the window leaves out. */
  readonly evicted?: number;
  /** The running summary of what is left out, so that it outlives the process. */
  readonly summary?: { readonly text: string; readonly covers: number };
}

export interface BuiltContext {
  readonly prompt: LanguageModelV3Prompt;
  readonly tools: readonly LanguageModelV3FunctionTool[];
  readonly manifest: Manifest;
  readonly evicted: readonly Exchange[];
}

export interface ContextInput {
  /** Most stable first, so that providers' caches hit. Never cut. */
  readonly parts: readonly ContextPart[];
  readonly cards: readonly ToolCard[];
  readonly messages: readonly Message[];
  /** Tokens of the whole request. */
  readonly limit: number;
  /** Tokens kept free for the answer. */
  readonly reserve: number;
  readonly count: CountTokens;
  readonly evictedBefore?: number;
  readonly previous?: Manifest;
}

const LEAST_WINDOW = 1_000;

/** Builds a request from its parts. Contract: the window gets what the parts and the tools leave, and at least a little. */
export function buildContext(input: ContextInput): BuiltContext {
  const { parts, cards, count, limit, reserve, evictedBefore = 0 } = input;
  const system = parts.map((part) => (part.kind === "guidance" ? part.text : fenced(part)));
  const tools = toModelTools(cards);
  const entries = [
    ...parts.map(({ text: _, ...part }, index) => ({ ...part, tokens: count(system[index] as string) })),
    {
      kind: "tools",
      source: "registry",
      version: String(cards.length),
      tokens: count(JSON.stringify(tools)),
      reason: `${cards.length} tools are mounted and allowed`,
    },
  ];
  const fixed = entries.reduce((sum, { tokens }) => sum + tokens, 0);
  const budget = Math.max(LEAST_WINDOW, limit - reserve - fixed);
  const window = slideWindow(input.messages, { budget, count, evictedBefore });
  entries.push({
    kind: "window",
    source: "conversation",
    version: `${window.messages.length} messages`,
    tokens: window.tokens,
    reason: `${window.evicted.length} older exchanges are archived${window.shortened > 0 ? `, ${window.shortened} results are cut` : ""}`,
  });
  return {
    prompt: toPrompt(system, window.messages),
    tools,
    evicted: window.evicted,
    manifest: {
      entries: compareEntries(entries, input.previous),
      tokens: fixed + window.tokens,
      limit,
      evicted: window.evicted.length,
    },
  };
}

/** A part never changes and is in many requests, so each is fenced once. */
const FENCED = new WeakMap<ContextPart, string>();

function fenced(part: ContextPart): string {
  const text = FENCED.get(part) ?? fence(part.text, part.source, part.version);
  FENCED.set(part, text);
  return text;
}

/** Compares the parts of two requests. Contract: parts that only the other request had come last, as gone. */
export function compareEntries(
  entries: readonly (Omit<ManifestEntry, "change"> & Partial<Pick<ManifestEntry, "change">>)[],
  previous: Pick<Manifest, "entries"> | undefined,
): ManifestEntry[] {
  const before = new Map(
    (previous?.entries ?? [])
      .filter(({ change }) => change !== "gone")
      .map((one) => [`${one.kind} ${one.source}`, one]),
  );
  const now = entries
    .filter(({ change }) => change !== "gone")
    .map((entry): ManifestEntry => {
      const known = before.get(`${entry.kind} ${entry.source}`);
      before.delete(`${entry.kind} ${entry.source}`);
      const change = known === undefined ? "new" : known.version === entry.version ? "same" : "changed";
      return { ...entry, change };
    });
  return [...now, ...[...before.values()].map((gone): ManifestEntry => ({ ...gone, tokens: 0, change: "gone" }))];
}
