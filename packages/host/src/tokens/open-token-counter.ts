import type { CountTokens } from "@ikigai/agent";
import { estimateTokens } from "@ikigai/core/text";
import { isInstalled } from "../parts/features.ts";

const REMEMBERED = 20_000;
const REMEMBER_FROM = 40;

/**
 * Counts tokens for requests to a model.
 *
 * Contract: loads its vocabulary when it is first asked for; remembers what it counted, since most of a request is the
 * same as last time. Without a vocabulary it estimates, rather too much than too little.
 */
export async function openTokenCounter(): Promise<CountTokens> {
  if (!isInstalled("gpt-tokenizer")) return estimateTokens;
  const { countTokens } = await import("./count-tokens.ts");
  const known = new Map<string, number>();
  return (text) => {
    if (text.length < REMEMBER_FROM) return countTokens(text);
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const tokens = countTokens(text);
    if (known.size >= REMEMBERED) known.clear();
    known.set(text, tokens);
    return tokens;
  };
}
