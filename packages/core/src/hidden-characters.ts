/**
 * Everything that steers a terminal, and everything that hides or reorders text: controls but for the line feed,
 * invisible formatting, what Unicode keeps free for more of it, other line ends, fillers, private use, half surrogates, and
 * selectors of a variant but for the one that makes an emoji of the sign before it.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\0-\x09\x0b-\x1f\x7f-\x9f\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180f|\u2065|[\ufff0-\ufff8]|[\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0d]|(?<!\p{Extended_Pictographic}|[0-9#*](?=[\ufe0e\ufe0f]\u20e3))[\ufe0e\ufe0f]/gu;

/** A joiner inside an emoji, or inside a word of a script that is written with joiners. There it hides nothing. */
const JOINER =
  /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}])[\u200c\u200d](?=[\p{L}\p{M}])/gu;

const NAMED: Readonly<Record<string, string>> = { "\t": "    ", "\r": String.raw`\r`, "\0": String.raw`\0` };

export interface HiddenOptions {
  /**
   * For text that is only read and not decided on: tabs stay, and joiners inside an emoji or a word; codes are written as
   * in JSON (`\u202e`), so that JSON stays the same JSON.
   */
  readonly forReading?: boolean;
}

/**
 * `text` as a person may read it: what cannot be seen is written as its code, such as `\u{202e}`.
 *
 * Contract: keeps line feeds and shows a tab as four spaces; gives other visible text back unchanged; escaping twice
 * changes nothing more; never throws.
 */
export function escapeHidden(text: string, { forReading = false }: HiddenOptions = {}): string {
  return replaceHidden(text.replaceAll("\r\n", "\n"), forReading, (char) =>
    forReading ? unitsOf(char) : (NAMED[char] ?? `\\u{${(char.codePointAt(0) as number).toString(16)}}`),
  );
}

/** `text` without what cannot be seen. Contract: keeps line feeds; removing twice changes nothing more; never throws. */
export function removeHidden(text: string, { forReading = false }: HiddenOptions = {}): string {
  return replaceHidden(text, forReading, () => "");
}

/** The first character of `text` that cannot be seen. Contract: a line feed is none. */
export function findHidden(text: string, { forReading = false }: HiddenOptions = {}): string | undefined {
  let first: string | undefined;
  replaceHidden(text, forReading, (char) => (first ??= char));
  return first;
}

function replaceHidden(text: string, forReading: boolean, replace: (char: string) => string): string {
  if (!forReading) return text.replaceAll(HIDDEN, (char) => replace(char));
  const kept = /[\u200c\u200d]/.test(text)
    ? new Set(Array.from(text.matchAll(JOINER), ({ index }) => index).filter((at) => standsBetweenSeen(text, at)))
    : undefined;
  return text.replaceAll(HIDDEN, (char, at: number) =>
    char === "\t" || kept?.has(at) === true ? char : replace(char),
  );
}

/** Whether both neighbours of a joiner, which it has, can be seen. Next to one that is written as its code it joins nothing. */
function standsBetweenSeen(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  const after = String.fromCodePoint(text.codePointAt(at + 1) as number);
  return (before === "\ufe0f" || before.search(HIDDEN) === -1) && after.search(HIDDEN) === -1;
}

function characterBefore(text: string, at: number): string {
  const pair = text.slice(Math.max(0, at - 2), at);
  return (pair.codePointAt(0) as number) > 0xffff ? pair : text.slice(at - 1, at);
}

function unitsOf(char: string): string {
  return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
    "",
  );
}
