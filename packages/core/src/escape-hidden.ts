/**
 * Everything that steers a terminal, and everything that hides or reorders text: controls but for the line feed,
 * invisible formatting, other line ends, fillers, private use, half surrogates.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\0-\x09\x0b-\x1f\x7f-\x9f\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180f|[\u{e0100}-\u{e01ef}]/gu;

const NAMED: Readonly<Record<string, string>> = { "\t": "    ", "\r": String.raw`\r`, "\0": String.raw`\0` };

/**
 * `text` as a person may read it who decides on it: what cannot be seen is written as its code, such as `\u{202e}`.
 *
 * Contract: keeps line feeds and shows a tab as four spaces; gives other visible text back unchanged; never throws.
 */
export function escapeHidden(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(HIDDEN, (char) => NAMED[char] ?? `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}
