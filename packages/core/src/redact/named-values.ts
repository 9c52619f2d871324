import { endOfLine, endOfValue, QUOTE, type ReadValue, readBlock, readValue } from "./read-value.ts";
import { classifyName, NAME_KEYWORDS, type NameClass } from "./secret-names.ts";
import type { SecretSpan } from "./secret-span.ts";
import { isPlaceholder, isSecretValue, isVariable, looksChosen, looksRandom } from "./secret-values.ts";

/** A name in a text whose value is a secret. */
interface FoundName {
  readonly name: string;
  readonly kind: NameClass;
  readonly start: number;
  readonly end: number;
  /** A few characters before it. */
  readonly before: string;
}

/** What was found behind a name, and from where to look for the next one. */
interface FoundValues {
  readonly spans: readonly SecretSpan[];
  readonly next: number;
}

/** Looks for the value of a name in one way of writing. Contract: `undefined` when it is not written so. */
type Syntax = (text: string, name: FoundName) => FoundValues | undefined;

const NAME_CHAR = /[A-Za-z0-9_.-]/;
const LONGEST_NAME = 64;
const BEFORE = 48;

/** The values that are given to names such as `password`, `api_key` and `Authorization`, however that is written. */
export function findNamedValues(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  NAME_KEYWORDS.lastIndex = 0;
  for (let hit = NAME_KEYWORDS.exec(text); hit !== null; hit = NAME_KEYWORDS.exec(text)) {
    const name = nameAround(text, hit.index, NAME_KEYWORDS.lastIndex);
    if (name === undefined) continue;
    const values = valuesOf(text, name);
    if (values !== undefined) found.push(...values.spans);
    NAME_KEYWORDS.lastIndex = Math.max(NAME_KEYWORDS.lastIndex, values?.next ?? name.end);
  }
  return found;
}

function valuesOf(text: string, name: FoundName): FoundValues | undefined {
  for (const syntax of SYNTAXES) {
    const values = syntax(text, name);
    if (values !== undefined) return values;
  }
  return undefined;
}

function one(span: SecretSpan | undefined): FoundValues | undefined {
  return span === undefined ? undefined : { spans: [span], next: span.end };
}

/** The whole name that a keyword is part of. */
function nameAround(text: string, from: number, to: number): FoundName | undefined {
  let start = from;
  while (start > 0 && from - start < LONGEST_NAME && NAME_CHAR.test(text[start - 1] as string)) start--;
  let end = to;
  while (end < text.length && end - to < LONGEST_NAME && NAME_CHAR.test(text[end] as string)) end++;
  // A sentence or an address may end here.
  while (end > to && text[end - 1] === ".") end--;
  // The letter of an escape, and the digits of an encoded sign, belong to what stands before.
  if (text[start - 1] === "\\" && /[bfnrt]/.test(text[start] as string)) start++;
  if (text[start - 1] === "%" && /^[0-9A-Fa-f]{2}/.test(text.slice(start, start + 2))) start += 2;
  if (start > from) return undefined;
  const dashes = /^-{0,2}/.exec(text.slice(start, from))?.[0].length ?? 0;
  const name = text.slice(start + dashes, end);
  const kind = classifyName(name);
  if (kind === undefined) return undefined;
  return {
    name,
    kind,
    start: start + dashes,
    end,
    before: text.slice(Math.max(0, start + dashes - BEFORE), start + dashes),
  };
}

/** Judges a value. Contract: `undefined` when it is no secret. */
function judge(
  text: string,
  from: number,
  value: ReadValue,
  { name, kind }: FoundName,
  certain: boolean,
): SecretSpan | undefined {
  const given = {
    value: text.slice(value.start, value.end),
    name,
    certain,
    behind: text.slice(value.end, value.end + 8),
  };
  if (!isSecretValue(kind, { ...given, quoted: value.quoted })) return undefined;
  return { start: value.start, end: endOfValue(text, from, value) };
}

function sticky(source: string): RegExp {
  return new RegExp(source, "iy");
}

/** End of the match of a sticky pattern at `from`. */
function behind(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const SCHEME_AND_CREDENTIAL =
  /(?<scheme>bearer|basic|token|apikey|api-key|negotiate|ntlm|bot)(?:[ \t]|%20|\+){1,4}(?<secret>[^\s"'\\,;<>]{4,8192})/iy;
const SCHEME_AND_REST =
  /(?:digest|aws4-hmac-sha256|oauth|hawk|signature|hmac[a-z0-9-]{0,16}|sharedkey)[ \t]{1,4}(?=[^\s"'\\[])/iy;
const GIVES_HEADER = sticky(`${QUOTE}?[ \\t]{0,4}(?:[:=,]|[ \\t])[ \\t]{0,4}${QUOTE}?`);

/** `Authorization: Bearer …`, also as a field or an argument. */
const authorization: Syntax = (text, { name, end, before }) => {
  if (!/authorization$/i.test(name)) return undefined;
  const from = behind(GIVES_HEADER, text, end);
  if (from === undefined) return undefined;
  SCHEME_AND_CREDENTIAL.lastIndex = from;
  const secret = SCHEME_AND_CREDENTIAL.exec(text)?.groups?.["secret"];
  if (secret !== undefined && !isPlaceholder(secret)) {
    const plain = /^[a-z]+$/.test(secret) && secret.length < 12;
    const { lastIndex } = SCHEME_AND_CREDENTIAL;
    return plain ? undefined : one({ name: "authorization", start: lastIndex - secret.length, end: lastIndex });
  }
  const rest = behind(SCHEME_AND_REST, text, from);
  if (rest === undefined) return undefined;
  return one({ name: "authorization", start: rest, end: endOfHeader(text, rest, before) });
};

/** A header that is written as one quoted text ends with its quote, any other with its line. */
function endOfHeader(text: string, from: number, before: string): number {
  const line = endOfLine(text, from);
  const quote = /(\\{0,15})(["'])$/.exec(before);
  if (quote === null) return line;
  const close = text.slice(from, line).indexOf(`${quote[1]}${quote[2]}`);
  return close === -1 ? line : from + close;
}

const COOKIE_PAIR = /[ \t;]{0,4}([\w.-]{1,64})(?:=([^\s;"'\\]{0,4096}))?(?=[ \t]{0,4}(?:[;"'\\\r\n]|$))/y;
const COOKIE_ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority)$/i;

/** The values of `Cookie` and `Set-Cookie`. */
const cookie: Syntax = (text, { name, end, before }) => {
  if (!/cookie$/i.test(name)) return undefined;
  const from = behind(GIVES_HEADER, text, end);
  if (from === undefined) return undefined;
  const limit = endOfHeader(text, from, before);
  const spans: SecretSpan[] = [];
  let next = from;
  COOKIE_PAIR.lastIndex = from;
  for (
    let pair = COOKIE_PAIR.exec(text);
    pair !== null && COOKIE_PAIR.lastIndex <= limit;
    pair = COOKIE_PAIR.exec(text)
  ) {
    next = COOKIE_PAIR.lastIndex;
    const [, key = "", value = ""] = pair;
    const isSecret = classifyName(key) === "password" || looksChosen(value) || value.length >= 16;
    if (COOKIE_ATTRIBUTE.test(key) || !isSecret || value.length < 4 || isPlaceholder(value)) continue;
    const start = pair.index + pair[0].indexOf("=") + 1;
    spans.push({ name: "cookie", start, end: start + value.length });
  }
  return next === from ? undefined : { spans, next };
};

const SIGN = sticky(
  `(?<close>${QUOTE})?\\]?\\)?[ \\t]{0,16}\\??(?:(?<sign>=>|:=|[:=](?![=:~])|%3D)|(?<typed>:[ \\t]{0,4}[A-Za-z][A-Za-z<>[\\].]{0,32}[ \\t]{1,4}=(?!=)))(?<gap>[ \\t]{0,16})(?:!!?[a-z]{1,12}[ \\t]{1,4})?`,
);
const YAML_BLOCK = /[|>][+-]?\d?[+-]?[ \t]{0,16}\r?\n/y;
const NEXT_LINE = /[ \t]{0,16}\r?\n[ \t\r\n]{0,200}(?=["'])/y;

/** `name=value`, `"name": "value"`, `name := value` and their kin. */
const assignment: Syntax = (text, found) => {
  SIGN.lastIndex = found.end;
  const given = SIGN.exec(text);
  if (given === null || /(?:[=!<>]|::)$/.test(found.before)) return undefined;
  const { close, sign = "=", gap = "" } = given.groups ?? {};
  let from = SIGN.lastIndex;
  const block = found.kind === "weak" ? undefined : behind(YAML_BLOCK, text, from);
  if (block !== undefined && close === undefined) return one(blockOf(text, found, block));
  if (close !== undefined) from = behind(NEXT_LINE, text, from) ?? from;
  if (text[from] === "[") return listOf(text, found, from);
  const value = readValue(text, from);
  const isQuery = /(?:[?&#;]|%3F|%26|^)$/i.test(found.before) && sign !== ":" && gap === "";
  const isField = close !== undefined && (value.quoted || found.kind === "strong");
  const isOption = /(?:^|[\s"'`\\[(,;|&=])-{1,2}$/.test(found.before) && sign === "=";
  const isHeader = sign === ":" && /^x-|-/.test(found.name) && value.end - value.start >= 6;
  const certain = (isVariable(found.name) && !/^[{(]/.test(gap)) || isQuery || isField || isHeader || isOption;
  if (close?.endsWith('"') === true && !value.quoted) {
    // In JSON a value without quotes is no text.
    const number = /^\d{4,}$/.test(text.slice(value.start, value.end));
    return number && found.kind === "password" ? one({ start: value.start, end: value.end, quote: close }) : undefined;
  }
  if (isOption && found.kind !== "weak" && isArgument(text.slice(value.start, value.end)))
    return one({ start: value.start, end: endOfValue(text, from, value) });
  return one(judge(text, from, value, found, certain));
};

/** Whether what an option is given can only be its value. */
function isArgument(value: string): boolean {
  return value.length >= 4 && !isPlaceholder(value);
}

function blockOf(text: string, found: FoundName, from: number): SecretSpan | undefined {
  const block = readBlock(text, found.start, from);
  const value = text.slice(block.start, Math.min(block.end, block.start + 256));
  if (value === "" || isPlaceholder(value)) return undefined;
  return found.kind === "key" && !looksRandom(value.split("\n")[0] as string)
    ? undefined
    : { start: block.start, end: block.end };
}

/** Every text of a list that is given to a password's name. */
function listOf(text: string, found: FoundName, from: number): FoundValues | undefined {
  if (found.kind !== "password") return undefined;
  const spans: SecretSpan[] = [];
  const item = sticky(`[[,][\\s]{0,64}(?=${QUOTE})`);
  for (let at = behind(item, text, from); at !== undefined && spans.length < 1_000;) {
    const value = readValue(text, at);
    const end = endOfValue(text, at, value);
    if (!isPlaceholder(text.slice(value.start, value.end))) spans.push({ start: value.start, end });
    const quote = behind(sticky(`${QUOTE}[\\s]{0,64}`), text, end);
    at = quote === undefined ? undefined : behind(item, text, quote);
  }
  return spans.length === 0 ? undefined : { spans, next: spans.at(-1)?.end ?? from };
}

const NEXT_ARGUMENT = sticky(`${QUOTE}\\s{0,64},\\s{0,64}(?=${QUOTE})`);
const NEXT_ITEM = /["']?[ \t]{0,8}\r?\n[ \t]{0,64}-[ \t]{1,8}(?=\S)/y;
const PROSE_BEFORE_OPTION = /\b(?:the|a|an|this|its|with|use|and|or|by|no)[ \t]+[`"']?-{1,2}$/i;
const NEXT_WORD = /[ \t]{1,4}(?=[^\s-])/y;

/** `["--password", "x"]`, `--password x`, and both as lines of YAML. */
const option: Syntax = (text, found) => {
  if (!/(?:^|[\s"'`\\[(,;|&=])-{1,2}$/.test(found.before) || found.kind === "weak") return undefined;
  const argument = behind(NEXT_ARGUMENT, text, found.end);
  if (argument !== undefined) {
    const value = readValue(text, argument);
    const given = text.slice(value.start, value.end);
    if (isPlaceholder(given) || given.startsWith("-")) return undefined;
    return one({ start: value.start, end: endOfValue(text, argument, value) });
  }
  const item = /-[ \t]{1,8}["']?-{1,2}$/.test(found.before) ? behind(NEXT_ITEM, text, found.end) : undefined;
  const from = item ?? behind(NEXT_WORD, text, found.end);
  if (from === undefined) return undefined;
  const value = readValue(text, from);
  const given = text.slice(value.start, value.end);
  if (given === "" || isPlaceholder(given)) return undefined;
  const goesOn = /^[ \t]{1,4}[^\s|;&>-]/.test(text.slice(value.end, value.end + 8));
  const isProse = goesOn || PROSE_BEFORE_OPTION.test(found.before) || /^[a-z]+[.,:!?)]/.test(given);
  const certain = value.quoted || item !== undefined || looksChosen(given) || !isProse;
  return certain ? one({ start: value.start, end: endOfValue(text, from, value) }) : undefined;
};

const IS_NAMED = new RegExp(
  `(?:name|key|id|field|header|variable|param)${QUOTE}?[ \\t]{0,8}[:=][ \\t]{0,8}${QUOTE}?[\\w./:-]{0,40}$`,
  "i",
);
const VALUE_SIGN = `${QUOTE}?[ \\t]{0,8}[:=][ \\t]{0,8}`;
/** The value in the same object, in the next lines of the same YAML item, or in the same element. */
const VALUE_OF_PAIR = sticky(
  `${QUOTE}?(?:[ \\t]{0,8},?\\s{1,64}|\\\\{0,15}[nr]|,)(?:(?!-[ \\t])[^{}<>\\n]{0,200}?[\\s,"'\\\\n])??${QUOTE}?[A-Za-z]{0,16}value${VALUE_SIGN}`,
);
const BODY_OF_ELEMENT = sticky(`["'][^<>]{0,200}(?<!/)>\\s{0,64}(?:<value>|<string>)?(?=[^<\\s])`);
const VALUE_BEFORE = new RegExp(
  `[Vv]alue${VALUE_SIGN}(?<quote>\\\\{0,15}["'])(?<secret>[^"'\\n]{1,256})\\k<quote>[\\s,]{0,64}${QUOTE}?[\\w-]{0,24}$`,
);

/** `{ name: "password", value: "x" }` in JSON, YAML and XML, in either order. */
const pair: Syntax = (text, found) => {
  if (found.kind === "weak" || !IS_NAMED.test(found.before)) return undefined;
  const from = behind(VALUE_OF_PAIR, text, found.end);
  if (from !== undefined) {
    return one(judge(text, from, readValue(text, from), found, true));
  }
  const body = behind(BODY_OF_ELEMENT, text, found.end);
  if (body !== undefined) return one(elementBody(text, body, found));
  const named = /(?:name|key|id|field|header|variable|param)[^\w]{1,24}[\w./:-]{0,40}$/i.exec(
    text.slice(Math.max(0, found.start - 80), found.start),
  );
  const at = found.start - (named?.[0].length ?? 0);
  const first = VALUE_BEFORE.exec(text.slice(Math.max(0, at - 400), at));
  if (first?.groups === undefined) return undefined;
  const { secret = "" } = first.groups;
  const start = Math.max(0, at - 400) + first.index + first[0].indexOf(secret, first[0].search(/[:=]/));
  return isPlaceholder(secret) ? undefined : { spans: [{ start, end: start + secret.length }], next: found.end };
};

const ELEMENT = sticky(`[^<>]{0,200}(?<!/)>\\s{0,64}(?:<!\\[CDATA\\[)?(?=[^<])`);
const ESCAPED_ELEMENT = sticky(`(?:(?!&gt;)[^<>]){0,100}&gt;`);
const PLIST = sticky(`</key>\\s{0,64}<(?:string|data)>\\s{0,64}`);

/** `<password>x</password>`, and the next element of a property list. */
const element: Syntax = (text, found) => {
  if (/<(?:[\w-]{1,40}:)?$/.test(found.before)) {
    const from = behind(ELEMENT, text, found.end);
    return from === undefined ? undefined : one(elementBody(text, from, found));
  }
  if (/&lt;(?:[\w-]{1,40}:)?$/.test(found.before)) {
    const from = behind(ESCAPED_ELEMENT, text, found.end);
    return from === undefined ? undefined : one(elementBody(text, from, found));
  }
  const from = found.before.endsWith(">") ? behind(PLIST, text, found.end) : undefined;
  return from === undefined ? undefined : one(elementBody(text, from, found));
};

function elementBody(text: string, from: number, found: FoundName): SecretSpan | undefined {
  const body = text.slice(from, from + 8_192);
  const end = body.search(/\]\]>|<|&lt;|$/);
  const value = body.slice(0, end).trimEnd();
  if (value.toLowerCase() === found.name.toLowerCase() || /^\w+(?: [a-z]+){2,}$/.test(value)) return undefined;
  return judge(text, from, { start: from, end: from + value.length, quoted: true }, found, true);
}

const CALL = sticky(`\\([ \\t]{0,4}(?=${QUOTE})`);
const SECOND_ARGUMENT = sticky(`${QUOTE}[ \\t]{0,4},[ \\t]{0,4}(?=${QUOTE})`);

/** `setPassword("x")`, `put("password", "x")` and `["authorization", "x"]`. */
const call: Syntax = (text, found) => {
  if (/^(?:set|with|add)/i.test(found.name)) {
    const from = behind(CALL, text, found.end);
    if (from !== undefined) return one(judge(text, from, readValue(text, from), found, true));
  }
  const quote = /[([][ \t]{0,4}\\{0,15}["']$/.exec(found.before);
  if (quote === null || found.kind === "weak") return undefined;
  const from = behind(SECOND_ARGUMENT, text, found.end);
  if (from === undefined) return undefined;
  const value = readValue(text, from);
  const isPair =
    found.before.lastIndexOf("(") > found.before.lastIndexOf("[") ||
    /^\\{0,15}["']\s{0,8}\]/.test(text.slice(value.end, value.end + 24));
  const given = text.slice(value.start, value.end);
  return isPair && looksChosen(given) ? one(judge(text, from, value, found, true)) : undefined;
};

const SETS =
  /(?:\bset(?:env|x)?(?:[ \t]+-[a-zA-Z]{1,4})?|\bENV|\bconfig(?:ure)?[ \t]+set(?:[ \t]+-[\w-]{1,16})?)[ \t]+[^\s=]{0,40}$/;
const DIRECTIVE = /^(?:requirepass|masterauth|bindpw|rootpw|storepass|keypass|psk)$/i;
const IS = /[ \t]{1,4}(?:is|was|ist)[ \t:]{1,4}/iy;
const QUOTED_WORD = /[ \t]{1,4}(?=['"])/y;

/** Words behind the name: `setenv NAME x`, `requirepass x`, `PASSWORD 'x'`, "the password is x". */
const words: Syntax = (text, found) => {
  const said = behind(IS, text, found.end);
  if (said !== undefined) {
    const value = readValue(text, said);
    const given = text.slice(value.start, value.end).replace(/[.!?]+$/, "");
    const isMeant = found.kind === "password" || found.kind === "strong" || looksRandom(given);
    return isMeant && given.length >= 4 && /[0-9]/.test(given) && looksChosen(given) && !isPlaceholder(given)
      ? one({ start: value.start, end: value.start + given.length })
      : undefined;
  }
  if (found.kind === "password" && /(?:^|[\s.])$/.test(found.before)) {
    const quoted = behind(QUOTED_WORD, text, found.end);
    const value = quoted === undefined ? undefined : readValue(text, quoted);
    if (value !== undefined && !/\s/.test(text.slice(value.start, value.end)))
      return one(judge(text, quoted as number, value, found, true));
  }
  const isSet = SETS.test(found.before);
  const from = isSet || DIRECTIVE.test(found.name) ? behind(NEXT_WORD, text, found.end) : undefined;
  if (from === undefined) return undefined;
  const value = readValue(text, from);
  const given = text.slice(value.start, value.end);
  return isSet || looksChosen(given) ? one(judge(text, from, value, found, true)) : undefined;
};

const SYNTAXES: readonly Syntax[] = [authorization, cookie, assignment, option, pair, element, call, words];
