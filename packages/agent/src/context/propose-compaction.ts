import { IkigaiError } from "@ikigai/core";
import { askPlainly, type SummariseOptions } from "./summarise.ts";

export interface Compaction {
  readonly text: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

const INSTRUCTIONS = `You shorten a text that is always in an agent's context. Keep its structure, every rule, decision, name, address and number.
Merge what is said twice, drop what no longer matters, and keep Markdown valid. Answer with the shortened text only.`;

/**
 * A shorter version of a text, as a proposal; nothing is written.
 *
 * Contract: rejects with `conflict` when the model's version is not shorter.
 */
export async function proposeCompaction(text: string, options: Omit<SummariseOptions, "budget">): Promise<Compaction> {
  const shortened = unfence(await askPlainly(INSTRUCTIONS, text, options));
  const tokensBefore = options.count(text);
  const tokensAfter = options.count(shortened);
  if (tokensAfter < tokensBefore) return { text: shortened, tokensBefore, tokensAfter };
  throw new IkigaiError(
    "conflict",
    `The model's version has ${tokensAfter} tokens, no fewer than the ${tokensBefore} there are`,
    {
      hint: "Unpin it, or shorten it by hand.",
    },
  );
}

/** Models like to wrap an answer in a fence. */
function unfence(text: string): string {
  return /^(`{3,})[a-z]*\n([\s\S]*)\n\1$/.exec(text)?.[2] ?? text;
}
