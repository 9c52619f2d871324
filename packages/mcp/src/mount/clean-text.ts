// What could hide text from a person, or from a model that reads it differently than a person sees it.
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Foreign text that a model will read: only what a person can see of it, at most `limit` characters. */
export function cleanText(text: string, limit: number): string {
  const seen = text.toWellFormed().replace(UNSEEN, "").trim();
  return seen.length > limit ? `${seen.slice(0, limit - 1).toWellFormed()}…` : seen;
}
