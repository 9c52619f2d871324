import { contentHash } from "./content-hash.ts";

const MAX_PIECES = 200;
const REFERENCE = /\s*\(?recall:\/\/\/\S*?\)?(?=\s|$)/g;
const MARK = /^\s*(?:>+|[-*•]|\d{1,3}[.)])\s+/;
const QUOTES = /^(["'“”«])(.*)(["'“”»])$/su;

/**
 * Hashes of the entries that a text may be put together from.
 *
 * A text that was recalled comes back quoted, listed, as one search answer, or several entries below one another. Each
 * way of taking it apart is a list of hashes; when every hash of one list is known, the text says nothing new. `own` is
 * the hash of the text itself.
 */
export function recalledParts(content: string, own: string): readonly (readonly string[])[] {
  const ways = [answerContents(content), [unwrap(content)], content.split(/\n\s*\n/).map(unwrap), lines(content)];
  const whole = content.trim();
  return ways
    .filter((pieces) => pieces.length > 0 && pieces.length <= MAX_PIECES && pieces.every((piece) => piece !== ""))
    .filter((pieces) => pieces.length > 1 || pieces[0] !== whole)
    .map((pieces) => [...new Set(pieces.map(contentHash))])
    .filter((hashes) => hashes.length > 1 || hashes[0] !== own);
}

function lines(content: string): readonly string[] {
  return content
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(unwrap);
}

/** A piece of text without list marks, quote marks and references to entries. */
function unwrap(piece: string): string {
  const bare = piece
    .split("\n")
    .map((line) => line.replace(MARK, ""))
    .join("\n")
    .replace(REFERENCE, "")
    .trim();
  return QUOTES.exec(bare)?.[2]?.trim() ?? bare;
}

/** The contents of a search answer that was pasted as JSON. */
function answerContents(content: string): readonly string[] {
  if (!/^\s*[[{]/.test(content) || !content.includes('"content"')) return [];
  try {
    return collect(JSON.parse(content));
  } catch {
    return [];
  }
}

function collect(value: unknown): readonly string[] {
  const data = unwrapEnvelope(value);
  const results = Array.isArray(data) ? data : [data];
  const contents = results.map((one: unknown) => (one as { content?: unknown } | null)?.content);
  return contents.every((one) => typeof one === "string") ? contents : [];
}

function unwrapEnvelope(value: unknown): unknown {
  const { data = value } = (value ?? {}) as { data?: unknown };
  const { results = data } = (data ?? {}) as { results?: unknown };
  return results;
}
