// Characters that move, hide or reorder what a person reads.
// oxlint-disable-next-line no-control-regex
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** `text` with every character that a person could not see written as its code, cut at `limit` characters. */
export function visibleText(text: string, limit: number): string {
  const shown = text.slice(0, limit).toWellFormed().replace(HIDDEN, escapeCode);
  return text.length > limit ? `${shown}… [${text.length - limit} more characters are not shown]` : shown;
}

function escapeCode(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
}
