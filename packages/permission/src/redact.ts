import { findSecretAssignments, isSecretName, type Span } from "./secret-assignments.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

export interface RedactorOptions {
  /** Variables whose values are secrets when their names say so. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further secrets, such as those of the configuration, by a name for each. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** Takes secrets out of what is written down. */
export interface Redactor {
  /** Contract: never throws; takes time in proportion to the text; what it gives back it leaves as it is. */
  redact(text: string): string;
  /** Every text inside a plain JSON value, and every value whose field has a secret's name. */
  redactValue(value: unknown): unknown;
}

const MIN_SECRET = 6;
const MAX_PASSES = 10;
const SHORT = 200;
const MAX_KNOWN = 1_000;
const PEM_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const REDACTED = /^\[redacted(?::[^\]\n]{1,60})?\]$/;

/**
 * Knows secrets by value (of the environment and the configuration, also as JSON, URL or base64 writes them), by shape
 * (keys and tokens of well-known services, private keys, passwords in URLs) and by the name they are given to.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const secrets = knownSecrets(options.env ?? process.env, options.extra ?? {});

  /** What short texts became: names of fields and of rules come again with every row. */
  const known = new Map<string, string>();

  function redact(text: string): string {
    if (text.length > SHORT) return redactAnew(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const redacted = redactAnew(text);
    if (known.size === MAX_KNOWN) known.clear();
    known.set(text, redacted);
    return redacted;
  }

  function redactAnew(text: string): string {
    let result = text;
    // What stood glued to a secret may be seen for one only when that is gone.
    for (let passes = 0; passes < MAX_PASSES; passes++) {
      const before = result;
      result = redactOnce(before);
      if (result === before) break;
    }
    return result;
  }

  function redactOnce(text: string): string {
    let result = text;
    for (const [value, name] of secrets) result = result.replaceAll(value, `[redacted:${name}]`);
    result = redactPem(result);
    for (const { name, pattern } of SECRET_SHAPES) result = result.replace(pattern, replacer(name));
    return cut(result, findSecretAssignments(result));
  }

  function redactValue(value: unknown): unknown {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(redactValue);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        redact(key),
        isSecretName(key) && typeof part === "string" && part !== "" ? hide(redact(part)) : redactValue(part),
      ]),
    );
  }

  return { redact, redactValue };
}

function hide(redacted: string): string {
  return REDACTED.test(redacted) ? redacted : "[redacted]";
}

/** Values to look for and what they are called, longest first, so that none is cut by a part of it. */
function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  const found = new Map<string, string>();
  const named = Object.entries(env).filter(([name, value]) => isSecretVariable(name) && isWorthHiding(value));
  for (const [name, value = ""] of [...named, ...Object.entries(extra)]) {
    if (value.length < MIN_SECRET) continue;
    const label = name.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60);
    for (const spelling of spellingsOf(value)) if (!found.has(spelling)) found.set(spelling, label);
  }
  return [...found].toSorted(([a], [b]) => b.length - a.length);
}

function isSecretVariable(name: string): boolean {
  return isSecretName(name) || /_(?:KEY|PAT|PASS)$/i.test(name);
}

/** A path or a plain word under a secret's name would take half of every text with it. */
function isWorthHiding(value: string | undefined): value is string {
  return value !== undefined && !value.startsWith("/") && !/^(?:[a-z]{1,8}|[A-Z]{1,8}|\d{1,6})$/.test(value);
}

function spellingsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...(bytes.length >= 8 ? [base64, base64.replaceAll("+", "-").replaceAll("/", "_"), bytes.toString("hex")] : []),
  ];
}

/** A private key from its first line to its last, or to the end of a text that was cut. */
function redactPem(text: string): string {
  const spans: Span[] = [];
  PEM_BEGIN.lastIndex = 0;
  for (let begin = PEM_BEGIN.exec(text); begin !== null; begin = PEM_BEGIN.exec(text)) {
    PEM_END.lastIndex = begin.index;
    const end = PEM_END.exec(text) === null ? text.length : PEM_END.lastIndex;
    spans.push({ start: begin.index, end });
    PEM_BEGIN.lastIndex = end;
  }
  return cut(text, spans, "[redacted:private-key]");
}

/** Replaces the group `secret` of a match, or all of it. */
function replacer(name: string): (...match: unknown[]) => string {
  return (whole, ...rest) => {
    const groups = rest.at(-1);
    const secret =
      typeof groups === "object" && groups !== null ? (groups as { readonly secret: string }).secret : undefined;
    if (secret === undefined) return `[redacted:${name}]`;
    const at = (whole as string).lastIndexOf(secret);
    return `${(whole as string).slice(0, at)}[redacted:${name}]${(whole as string).slice(at + secret.length)}`;
  };
}

function cut(text: string, spans: readonly Span[], replacement = "[redacted]"): string {
  let result = "";
  let from = 0;
  for (const { start, end } of spans) {
    result += `${text.slice(from, start)}${replacement}`;
    from = end;
  }
  return result + text.slice(from);
}
