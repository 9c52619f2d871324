/** How an HTML block ends: at a line with this text, or at a blank line. */
export type HtmlEnd = RegExp | "blank";

const RAW = /^<(?:script|pre|style|textarea)(?:[\s>]|$)/i;
const RAW_END = /<\/(?:script|pre|style|textarea)>/i;
const NAMES =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
  "fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|link|" +
  "main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|" +
  "title|tr|track|ul";
const BLOCK = new RegExp(`^</?(?:${NAMES})(?:\\s|/?>|$)`, "i");
const ATTRIBUTE = `[ \\t\\n\\r]+[A-Za-z_:][\\w.:-]*(?:[ \\t]*=[ \\t]*(?:"[^"]*"|'[^']*'|[^\\s"'=<>\`]+))?`;
const TAG = `</[A-Za-z][A-Za-z0-9-]*[ \\t]*>|<[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})*[ \\t\\n\\r]*/?>`;
const ANY_TAG = new RegExp(`(?:${TAG})`, "y");
const AUTOLINK = /<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>/y;
const MAX_OPENING = 2_000;

/**
 * Whether an HTML block starts with this line (its indentation taken off), and how it ends; the rules of CommonMark.
 * A tag of any other name starts one only when it stands alone and no paragraph is open.
 */
export function htmlBlockStart(line: string, inParagraph: boolean): HtmlEnd | undefined {
  if (line.startsWith("<!--")) return /-->/;
  if (RAW.test(line)) return RAW_END;
  if (line.startsWith("<?")) return /\?>/;
  if (line.startsWith("<![CDATA[")) return /\]\]>/;
  if (/^<![A-Za-z]/.test(line)) return />/;
  if (BLOCK.test(line)) return "blank";
  if (inParagraph || line.length > MAX_OPENING) return undefined;
  ANY_TAG.lastIndex = 0;
  return ANY_TAG.test(line) && line.slice(ANY_TAG.lastIndex).trim() === "" ? "blank" : undefined;
}

/** The end of the HTML tag or autolink at `at`, or -1. */
export function htmlTagEnd(text: string, at: number, end: number): number {
  const next = text.charCodeAt(at + 1);
  const isLetter = (next >= 65 && next <= 90) || (next >= 97 && next <= 122);
  if (!isLetter && next !== 47) return -1;
  for (const pattern of [ANY_TAG, AUTOLINK]) {
    pattern.lastIndex = at;
    if (pattern.test(text) && pattern.lastIndex <= end) return pattern.lastIndex;
  }
  return -1;
}
