import type { NameClass } from "./secret-names.ts";

/** Placeholders that code, templates and manuals have where a secret would be. */
const PLACEHOLDER =
  /^(?:$|\$|:|[}\]),;]|\[redacted|%[A-Z_]+%|\*+$|\.+$|<|\{|process\.|os\.|env\.|import\.|your[-_ ]|my[-_](?:secret|password|token|api|key)|(?:string|str|text|boolean|bool|number|int|integer|any|unknown|void|object|bytes|null|none|nil|undefined|true|false|required|optional|redacted|changeme|example|placeholder|todo|self|this|yes|no|password|token|secret|hidden|masked)[?!;:]*$)/i;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$]*$/;
const DOTTED = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|->|::)[A-Za-z_$][\w$]*)+$/;

/** A value and what is known of its place. */
export interface GivenValue {
  readonly value: string;
  /** The name that it is given to. */
  readonly name: string;
  readonly quoted: boolean;
  /** Only a value can stand here: a variable of the environment, a query, an argument, an element, a quoted field. */
  readonly certain: boolean;
  /** A few characters behind the value. */
  readonly behind: string;
}

/** Whether a text stands where a secret would and is none. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /^(?:x{3,}|X{3,})$/.test(value);
}

/** Whether a value that is given to a name of this class is a secret. */
export function isSecretValue(kind: NameClass, given: GivenValue): boolean {
  const { value, name, quoted, certain, behind } = given;
  if (isPlaceholder(value)) return false;
  if (/^(?:old)?pwd$/i.test(name) && value.startsWith("/")) return false;
  if (!quoted && isCode(given)) return false;
  switch (kind) {
    case "password":
      if (/^(?:true|false|null|\d{1,4})$/.test(value) && !quoted) return false;
      if (quoted || certain) return true;
      return value.length >= 4 && (looksChosen(value) || /^(?:[ \t]*(?:$|[\r\n;,&})\]"'`\\|<]|#|\/\/))/.test(behind));
    case "strong":
      if (certain) return value.length >= 6 && !(quoted && isSentence(value));
      return looksRandom(value) || (looksChosen(value) && value.length >= (quoted ? 6 : 8));
    case "key":
      if (looksRandom(value) || (quoted && looksChosen(value) && value.length >= 8)) return true;
      return certain && value.length >= 6 && (looksChosen(value) || isVariable(name));
    case "weak":
      return value.length >= 16 && looksRandom(value);
  }
}

/** Whether a name is written as variables of the environment are. */
export function isVariable(name: string): boolean {
  return /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name);
}

/** Letters mixed with digits or signs as people and generators do it, and no word, path or sentence. */
export function looksChosen(value: string): boolean {
  if (/\s/.test(value)) return false;
  return (
    (/[A-Za-z]/.test(value) && /[0-9]/.test(value)) ||
    /[!#$%^&*+@~]/.test(value) ||
    /[a-z][A-Z].*[A-Z][a-z]/.test(value)
  );
}

/** Long enough, and mixed as no word is. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || /\s/.test(value)) return false;
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 24 && entropy(value) > 3.5;
  return /[A-Za-z]/.test(value) && /[0-9]/.test(value) && entropy(value) > 2.8;
}

/** A call, a variable or a member of one instead of a text. */
function isCode({ value, name, certain, behind }: GivenValue): boolean {
  if (/^[([]/.test(behind) || /^(?:await|new|async|function|typeof|return)$/.test(value)) return true;
  if (DOTTED.test(value) && !certain && !/\d/.test(value)) return true;
  if (certain || !IDENTIFIER.test(value) || isVariable(name)) return false;
  return /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/.test(value) || value.toLowerCase() === name.toLowerCase().slice(-value.length);
}

function isSentence(value: string): boolean {
  return /^[A-Za-z]+(?: [A-Za-z,.]+){2,}$/.test(value);
}

/** Bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  const { length } = value;
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / length) * Math.log2(count / length), 0);
}
