/**
 * Everything a terminal could take for an instruction, and everything that hides or reorders text: controls but for
 * line feed and tab, C1 controls, bidirectional and invisible formatting, other line ends, tags, half surrogates.
 */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const NAMED: Readonly<Record<string, string>> = { "\r": String.raw`\r`, "\x1b": String.raw`\e`, "\0": String.raw`\0` };

/**
 * `text` as it may be written to a terminal: whatever could move the cursor, set a title, write to the clipboard, hide
 * or reorder text is shown as an escape such as `\e` or `\u{202e}`.
 *
 * Contract: keeps line feeds and tabs; gives safe text back unchanged; escaping twice changes nothing more.
 */
export function escapeForTerminal(text: string): string {
  return text.replaceAll(UNSAFE, (char) => NAMED[char] ?? `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}
