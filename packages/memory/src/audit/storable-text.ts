/** NUL, and each half of a surrogate pair that stands alone: no database keeps them in a text. */
// oxlint-disable-next-line no-control-regex -- finding it is the point
const UNSTORABLE = /\0|\p{Cs}/gu;

/**
 * A name or an id of foreign origin as it can be written down anywhere: what cannot be stored is shown as its code, such as
 * `\u0000`, and a long one keeps its beginning and its end around the number of its characters.
 *
 * Contract: gives other text back unchanged; at most `maxLength` UTF-16 units, which are at least 64; applied again it
 * changes nothing; never throws.
 */
export function storableText(text: string, maxLength: number): string {
  if (text.length <= maxLength && text.search(UNSTORABLE) === -1) return text;
  const escaped = text.length <= maxLength ? escape(text) : undefined;
  if (escaped !== undefined && escaped.length <= maxLength) return escaped;
  const missing = `…(${text.length} characters)…`;
  const room = maxLength - missing.length;
  // Escaping can only make an end longer, so what is cut afterwards is cut between whole codes.
  const head = cutTo(escape(text.slice(0, room)), Math.ceil(room / 2));
  const tail = cutFrom(escape(text.slice(-room)), Math.floor(room / 2));
  return escape(`${head}${missing}${tail}`).slice(0, maxLength);
}

function escape(text: string): string {
  return text.replaceAll(UNSTORABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Never half of a pair. */
function cutTo(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function cutFrom(text: string, length: number): string {
  return text.slice(text.length - length).replace(/^[\udc00-\udfff]/, "");
}

/** Characters that a name or an id may have: few enough for an index of any store. */
const MAX_NAME = 200;

/** The name of a tool, an agent or a program, or the id of a call, as it is written down. */
export function storableName(name: string): string {
  return storableText(name, MAX_NAME);
}
