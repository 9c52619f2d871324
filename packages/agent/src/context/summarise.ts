import type { LanguageModelV3 } from "@ai-sdk/provider";
import { IkigaiError } from "@ikigai/core";
import { askWithRetry, type RetryOptions } from "../turn/ask-with-retry.ts";
import type { CountTokens } from "./context-window.ts";
import { type Exchange, type Message, spoken } from "../messages.ts";

export interface SummariseOptions {
  readonly model: LanguageModelV3;
  /** Tokens the summary may have. */
  readonly budget: number;
  readonly count: CountTokens;
  readonly signal: AbortSignal;
  readonly retry?: RetryOptions;
}

const INSTRUCTIONS = `You keep the memory of a conversation that no longer fits. Rewrite the summary so that it also covers the new part.
Keep every rule, decision, preference, name, address, number and open question; drop greetings, detours and repetition.
Write plain sentences. Answer with the summary only.`;
const LONGEST_RESULT = 2_000;

/**
 * One summary of what was evicted, made from the summary before and the new exchanges.
 *
 * Contract: never longer than `budget` tokens; rejects rather than return nothing.
 */
export async function summarise(
  before: string,
  exchanges: readonly Exchange[],
  options: SummariseOptions,
): Promise<string> {
  const told = exchanges.flatMap(({ messages }) => messages.map(line)).join("\n");
  const text = await askPlainly(
    INSTRUCTIONS,
    `Summary so far:\n${before || "(none)"}\n\nNew part:\n${told}\n\nAt most ${options.budget} tokens.`,
    options,
  );
  return fit(text, options.budget, options.count);
}

/** Asks the model one question without tools. Contract: rejects with `unavailable` when it has nothing to say. */
export async function askPlainly(
  system: string,
  question: string,
  { model, signal, retry }: Pick<SummariseOptions, "model" | "signal" | "retry">,
): Promise<string> {
  const prompt = [
    { role: "system" as const, content: system },
    { role: "user" as const, content: [{ type: "text" as const, text: question }] },
  ];
  const silent = { onText: () => {}, onRestart: () => {} };
  const { text } = await askWithRetry(model, { prompt, tools: [] }, silent, signal, retry);
  if (text.trim() === "")
    throw new IkigaiError("unavailable", "The model had nothing to say", { hint: "Try again, or use another model." });
  return text.trim();
}

function line(message: Message): string {
  switch (message.role) {
    case "user":
      return `User: ${message.text}`;
    case "event":
      return `Event: ${message.text}`;
    case "assistant":
      return `Assistant: ${spoken(message)} ${message.calls.map(({ name, arguments: input }) => `[${name} ${input.slice(0, 200)}]`).join(" ")}`;
    case "tool":
      return `Result of ${message.name}: ${message.envelope.slice(0, LONGEST_RESULT)}`;
  }
}

/** Whole paragraphs from the front, then whole sentences, as many as fit. */
function fit(text: string, budget: number, count: CountTokens): string {
  let kept = text;
  while (kept !== "" && count(kept) > budget) {
    const shorter = kept.slice(0, Math.floor(kept.length * 0.9));
    const end = Math.max(shorter.lastIndexOf(". "), shorter.lastIndexOf("\n"));
    kept = shorter.slice(0, end > shorter.length / 2 ? end + 1 : shorter.length).trimEnd();
  }
  return kept;
}
