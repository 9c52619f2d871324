const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
// oxlint-disable-next-line no-control-regex
const STYLE = /\u001b\[[0-9;]*m/g;
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[\x20-\x7e]*$/;
const ZERO = /^[\p{M}\p{Cf}]+$/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** What a person sees as single characters. */
export function graphemesOf(text: string): string[] {
  if (PLAIN.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The columns a text takes in a terminal, without our own colours. */
export function widthOf(text: string): number {
  const bare = text.replaceAll(STYLE, "");
  if (PLAIN.test(bare)) return bare.length;
  return graphemesOf(bare).reduce((sum, grapheme) => sum + widthOfGrapheme(grapheme), 0);
}

export function widthOfGrapheme(grapheme: string): number {
  if (PLAIN.test(grapheme)) return grapheme.length;
  if (ZERO.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** As much of a text without colours as fits, with an ellipsis when it does not. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let used = 1;
  for (const grapheme of graphemesOf(text)) {
    used += widthOfGrapheme(grapheme);
    if (used > columns) break;
    kept += grapheme;
  }
  return `${kept}…`;
}
