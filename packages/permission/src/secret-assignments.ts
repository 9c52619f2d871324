/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Names whose value is a secret whatever it looks like, and names whose value is one when it looks like one. */
const PASSWORD_NAME = /(?:passw(?:or)?d|passphrase|pwd|secret|credential)s?$|private[_-]?key$/i;
const KEY_NAME =
  /(?:token|api[_-]?key|apikey|access[_-]?key|auth[_-]?key|secret[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|auth|authorization|cookie|session[_-]?id|sas|dsn)$/i;
const NAME_CHARS = /[A-Za-z0-9_.-]/;
const VALUE_END = /[\s"'`,;<>(){}[\]|\\&]/;
const QUOTED_END: Readonly<Record<string, RegExp>> = { '"': /["\n\\]/, "'": /['\n\\]/, "`": /[`\n\\]/ };
/** What stands where a secret would, in code and in templates. */
const NO_SECRET =
  /^(?:$|\$|:|\[redacted|%[A-Z_]+%|\*+$|x+$|\.+$|<|process\.|os\.|env\.|import\.|(?:string|str|text|boolean|bool|number|int|integer|any|unknown|void|object|bytes|null|none|nil|undefined|true|false|required|optional|redacted|changeme|example|placeholder|todo|self|this|yes|no)[?!;:]*$)/i;
const MAX_NAME = 64;
const JUDGED = 256;

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return PASSWORD_NAME.test(name) || KEY_NAME.test(name);
}

/**
 * The values that are given to secret names: `password=…`, `"api_token": "…"`, `--secret …` with `=`.
 *
 * Contract: looks at each `=` and `:` with a bounded number of characters around it.
 */
export function findSecretAssignments(text: string): readonly Span[] {
  const found: Span[] = [];
  // A doubled sign compares or qualifies.
  const signs = /(?<![=:!<>])[=:](?![=:])/g;
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const name = nameBefore(text, match.index);
    if (name === "") continue;
    const isPassword = PASSWORD_NAME.test(name);
    if (!isPassword && !KEY_NAME.test(name)) continue;
    const span = valueBehind(text, match.index + 1);
    const value = text.slice(span.start, span.end);
    if (/^(?:old)?pwd$/i.test(name) && value.startsWith("/")) continue;
    if (NO_SECRET.test(value) || !(isPassword ? value.length >= 4 : looksRandom(value))) continue;
    const end = endOf(text, span);
    found.push({ start: span.start, end });
    signs.lastIndex = end;
  }
  return found;
}

function nameBefore(text: string, sign: number): string {
  let end = sign;
  // `name =`, `"name":`, and `name =>` are all ways to give a value.
  while (end > 0 && sign - end < 4 && /[\s"'`?\\]/.test(text[end - 1] as string)) end--;
  let start = end;
  while (start > 0 && end - start < MAX_NAME && NAME_CHARS.test(text[start - 1] as string)) start--;
  return text.slice(start, end);
}

function valueBehind(text: string, from: number): Span & { readonly ends: RegExp } {
  const before = /^[ \t=>"'`\\]{0,4}/.exec(text.slice(from, from + 4))?.[0] ?? "";
  const start = from + before.length;
  const ends = QUOTED_END[before.at(-1) ?? ""] ?? VALUE_END;
  const length = text.slice(start, start + JUDGED).search(ends);
  return { start, end: length === -1 ? Math.min(start + JUDGED, text.length) : start + length, ends };
}

/** Where a value really ends that is longer than what was judged of it. */
function endOf(text: string, { start, end, ends }: Span & { readonly ends: RegExp }): number {
  if (end - start < JUDGED) return end;
  const more = text.slice(end).search(ends);
  return more === -1 ? text.length : end + more;
}

/** Long enough, and mixed as no word is. */
function looksRandom(value: string): boolean {
  if (value.length < 12) return false;
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 24 && entropy(value) > 3.5;
  return /[A-Za-z]/.test(value) && /[0-9]/.test(value) && entropy(value) > 2.8;
}

/** Bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  const { length } = value;
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / length) * Math.log2(count / length), 0);
}
