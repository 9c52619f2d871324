let segmenter: Intl.Segmenter | undefined;
// oxlint-disable-next-line no-control-regex -- finding them is the point
const STYLE = /\u001b\[[0-9;]*m/g;
// oxlint-disable-next-line no-control-regex -- finding them is the point
const PLAIN = /^[\x20-\x7e]*$/;
const ZERO = /^[\p{M}\p{Cf}]+$/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** Made when it is first needed: making it takes longer than most of what a start does. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** What a person sees as single characters. */
export function graphemesOf(text: string): string[] {
  if (PLAIN.test(text)) return text.split("");
  return Array.from(segmentsOf(text), ({ segment }) => segment);
}

/** Code units around a place that are looked at for the edges of a grapheme. */
const REACH = 1_024;
/** Characters that stand alone next to each other, so that an edge lies between any two of them. */
const ALONE = /^[\x20-\x7e\u00c0-\u024f\u0391-\u03ff\u0410-\u044f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]$/;

/**
 * A place at or before `at` where a grapheme surely begins.
 *
 * Contract: looks at most `REACH` units back; where none of them is sure, gives the edge of a code point.
 */
export function sureEdge(text: string, at: number): number {
  const least = Math.max(0, at - REACH);
  for (let place = at; place > least; place--) {
    if (text[place - 1] === "\n") return place;
    if (ALONE.test(text[place - 1] ?? "") && ALONE.test(text[place] ?? "")) return place;
  }
  return isLowHalf(text, least) ? least - 1 : least;
}

/** Where the grapheme before `at` begins. Contract: looks at the neighbourhood only. */
export function edgeBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  const start = sureEdge(text, at - 1);
  return at - (graphemesOf(text.slice(start, at)).at(-1)?.length ?? 0);
}

/** Where the grapheme after `at` ends. Contract: looks at the neighbourhood only. */
export function edgeAfter(text: string, at: number): number {
  for (const { segment } of segmentsOf(text.slice(at, at + REACH))) return at + segment.length;
  return at;
}

/** Whether `at` lies inside a surrogate pair. */
function isLowHalf(text: string, at: number): boolean {
  return at > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
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
