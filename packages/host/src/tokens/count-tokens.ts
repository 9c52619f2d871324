import { countTokens as countPiece } from "gpt-tokenizer/encoding/o200k_base";
import { countInPieces } from "./count-in-pieces.ts";

/** Text that looks like a control token is text. */
const PLAIN = { disallowedSpecial: new Set<string>(), allowedSpecial: new Set<string>() };

/** The tokens of `text` as current models count them, near enough for budgets. */
export function countTokens(text: string): number {
  return countInPieces(text, (piece) => countPiece(piece, PLAIN));
}
