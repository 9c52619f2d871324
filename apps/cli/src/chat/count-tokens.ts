import type { CountTokens } from "@ikigai/agent";
import { isInstalled } from "../parts.ts";

const REMEMBERED = 20_000;
/** Runs of one character take quadratic time to encode, so long texts are counted in pieces. */
const PIECE = 4_000;
const REMEMBER_FROM = 40;

/**
 * Counts tokens as current models do, near enough for budgets.
 *
 * Contract: loads its vocabulary when it is first asked for; remembers what it counted, since most of a request is the
 * same as last time. Without a vocabulary it estimates, rather too much than too little.
 */
export async function openTokenCounter(): Promise<CountTokens> {
  if (!isInstalled("gpt-tokenizer")) return estimateTokens;
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const known = new Map<string, number>();
  const inFull = (text: string): number => {
    let tokens = 0;
    for (let at = 0; at < text.length; at += PIECE) tokens += countTokens(text.slice(at, at + PIECE), PLAIN);
    return tokens;
  };
  return (text) => {
    if (text.length < REMEMBER_FROM) return inFull(text);
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const tokens = inFull(text);
    if (known.size >= REMEMBERED) known.clear();
    known.set(text, tokens);
    return tokens;
  };
}

/** Bytes a token has at least in most texts; in current vocabularies it is nearer to four. */
const BYTES_PER_TOKEN = 3;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Text that looks like a control token is text. */
const PLAIN = { disallowedSpecial: new Set<string>(), allowedSpecial: new Set<string>() };
