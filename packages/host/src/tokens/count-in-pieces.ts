const PIECE = 4_000;
/** A tokenizer takes a run without a break as one word, and needs quadratic time for it. */
const RUN = 256;
const LONG_RUN = new RegExp(`\\S{${RUN + 1},}|\\s{${RUN + 1},}`, "g");

/**
 * The tokens of `text` as `count` counts them, in time that grows with the text and no faster, whatever is in it.
 *
 * Contract: hands over each character once and in order; a cut adds at most one token per piece.
 */
export function countInPieces(text: string, count: (piece: string) => number): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at += PIECE) {
    const piece = text.slice(at, at + PIECE);
    let counted = 0;
    for (const { 0: run, index } of piece.matchAll(LONG_RUN)) {
      if (index > counted) tokens += count(piece.slice(counted, index));
      for (let from = 0; from < run.length; from += RUN) tokens += count(run.slice(from, from + RUN));
      counted = index + run.length;
    }
    if (counted < piece.length) tokens += count(piece.slice(counted));
  }
  return tokens;
}
