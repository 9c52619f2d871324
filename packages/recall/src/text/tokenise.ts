import { fold } from "./fold.ts";

/** A piece of text that can be looked up. */
export interface Token {
  /** Folded, not stemmed. */
  readonly text: string;
  /**
   * `whole` repeats several parts as one name (`readFile`, `src/main.c`), `ideograph` is one character of several; neither
   * counts towards the length.
   */
  readonly kind: "word" | "whole" | "ideographs" | "ideograph" | "symbol";
}

const CHUNK =
  /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’_./\\:@#-]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*(?:\+\+|#)?|\p{Extended_Pictographic}|\p{RI}\p{RI}/gu;
/** What {@link CHUNK} finds in a text of ASCII characters, found sooner. */
const ASCII_CHUNK = /[A-Za-z0-9]+(?:['_./\\:@#-]+[A-Za-z0-9]+)*(?:\+\+|#)?/g;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;
/** A chunk that is one word whatever else is looked for in it. */
const PLAIN = /^(?:[A-Z]?[a-z]+(?:[0-9]*|'[a-z]+)|[0-9]+)$/;
/** A chunk without parts and without other scripts. */
const UNDIVIDED = /^[A-Za-z0-9]+$/;
const PART = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const HUMP = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|[^\p{Lu}\p{Ll}]+/gu;
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc々\p{Script=Thai}]+/gu;
const HAN = /\p{Script=Han}/u;
const JOINED = /[_./\\:@#]/;
const PROGRAMMING = /(?:\+\+|#)$/;
const MAX_TOKEN = 64;

/**
 * The words of any text: prose, code, paths, Chinese and Japanese, emoji.
 *
 * Contract: linear in the text's length; never throws. An identifier gives its parts and itself; text without spaces
 * between words gives overlapping pairs of characters, and each character that can be a word.
 */
export function* tokenise(text: string): Generator<Token> {
  for (const [chunk] of text.matchAll(ASCII.test(text) ? ASCII_CHUNK : CHUNK)) {
    if (PLAIN.test(chunk)) yield { text: cut(chunk.toLowerCase()), kind: "word" };
    else yield* UNDIVIDED.test(chunk) ? wordTokens(chunk) : chunkTokens(chunk);
  }
}

function* chunkTokens(chunk: string): Generator<Token> {
  if (/^[\p{Extended_Pictographic}\p{RI}]/u.test(chunk) && !/^\p{N}/u.test(chunk)) {
    yield { text: chunk, kind: "symbol" };
    return;
  }
  if (JOINED.test(chunk) || PROGRAMMING.test(chunk)) yield whole(fold(chunk));
  for (const [part] of chunk.matchAll(PART)) yield* partTokens(part);
}

function* partTokens(part: string): Generator<Token> {
  let rest = 0;
  for (const match of part.matchAll(IDEOGRAPHS)) {
    if (match.index > rest) yield* wordTokens(part.slice(rest, match.index));
    yield* pairs(fold(match[0]));
    rest = match.index + match[0].length;
  }
  if (rest < part.length) yield* wordTokens(part.slice(rest));
}

function* wordTokens(word: string): Generator<Token> {
  const humps = word.length > MAX_TOKEN ? [word] : (word.match(HUMP) ?? [word]);
  if (humps.length > 1 && isIdentifier(word, humps)) {
    yield whole(fold(word));
    for (const hump of humps) yield { text: fold(hump), kind: "word" };
    return;
  }
  yield { text: cut(fold(word).replaceAll("’", "'")), kind: "word" };
}

/** `readFile`, `HTTPServer`: not `McGee’s`, `iPhone` or `CDs`, whose parts nobody looks for alone. */
function isIdentifier(word: string, humps: readonly string[]): boolean {
  return !/['’]/.test(word) && humps.every((hump) => hump.length > 1);
}

function* pairs(text: string): Generator<Token> {
  const letters = Array.from(text);
  if (letters.length === 1) yield { text, kind: "ideographs" };
  for (let i = 0; i + 1 < letters.length; i++) {
    yield { text: `${letters[i]}${letters[i + 1]}`, kind: "ideographs" };
  }
  if (letters.length < 2) return;
  for (const letter of letters) if (HAN.test(letter)) yield { text: letter, kind: "ideograph" };
}

function whole(text: string): Token {
  return { text: cut(text), kind: "whole" };
}

function cut(text: string): string {
  return text.length <= MAX_TOKEN ? text : text.slice(0, MAX_TOKEN).toWellFormed();
}
