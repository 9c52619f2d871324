import { createRequire } from "node:module";
import type * as Vocabulary from "gpt-tokenizer/encoding/o200k_base";
import { countInPieces } from "./count-in-pieces.ts";

/** Text that looks like a control token is text. */
const PLAIN = { disallowedSpecial: new Set<string>(), allowedSpecial: new Set<string>() };

let vocabulary: typeof Vocabulary | undefined;

/**
 * The tokens of `text` as current models count them, near enough for budgets.
 *
 * Contract: loads the vocabulary with the first text; that takes longer than all else that most commands do.
 */
export function countTokens(text: string): number {
  const { countTokens: countPiece } = (vocabulary ??= loadVocabulary());
  return countInPieces(text, (piece) => countPiece(piece, PLAIN));
}

/** Whoever counts cannot wait, so it is required and not imported. */
function loadVocabulary(): typeof Vocabulary {
  return createRequire(import.meta.url)("gpt-tokenizer/encoding/o200k_base") as typeof Vocabulary;
}
