import type { Span, Submission } from "../screen/chat-screen.ts";

/**
 * Pasted texts of a session, each of which may stand in the input as one character.
 *
 * The characters are halves of surrogate pairs: no terminal can send one, and each is a grapheme of its own, so that every
 * key moves over a paste or erases it as a whole.
 */
export interface Pastes {
  /** What stands in the input for a pasted text: itself when it is short, else one character. */
  fold(text: string): string;
  /** What is shown for a character of the input. Contract: `undefined` for one that shows itself. */
  shown(character: string): string | undefined;
  /** The input as it is sent. */
  unfold(input: string): Submission;
  /** The input for what was sent once, as `unfold` gave it. */
  restore(sent: Submission): string;
  /** The input as one line for people, with what stands for pastes. */
  describe(input: string): string;
  /**
   * The input for what a person made of `input` in an editor.
   *
   * Contract: a paste that is still there word for word is one again, and an `@` with what follows it that was pasted stays
   * plain.
   */
  refold(edited: string, input: string): string;
}

/** An `@` that was pasted: shown as one, and bringing in nothing. */
const PLAIN_AT = "\udc00";
const FIRST = 0xdc01;
const LAST = 0xdfff;
const MOST_LINES = 4;
const MOST_CHARACTERS = 1_000;
const STANDS_FOR = /(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const WITH_WORD = /(?<![\ud800-\udbff])[\udc00-\udfff]([^\s\udc00-\udfff]*)/g;
const AT_WORD = /@[^\s@]*/g;

export function createPastes(): Pastes {
  const folded: string[] = [];
  const known = new Map<string, string>();

  const fold = (pasted: string): string => {
    const text = pasted.toWellFormed();
    if (!isLong(text)) return text.replaceAll("@", PLAIN_AT);
    const before = known.get(text);
    if (before !== undefined) return before;
    if (FIRST + folded.length > LAST) return text.replaceAll("@", PLAIN_AT);
    folded.push(text);
    const character = String.fromCharCode(FIRST + folded.length - 1);
    known.set(text, character);
    return character;
  };
  const restore = ({ text, pasted }: Submission): string => {
    let input = "";
    let from = 0;
    for (const { start, end } of pasted) {
      input += text.slice(from, start) + fold(text.slice(start, end));
      from = end;
    }
    return input + text.slice(from);
  };
  const textOf = (character: string): string =>
    character === PLAIN_AT ? "@" : (folded[character.charCodeAt(0) - FIRST] ?? "");

  return {
    fold,
    shown(character) {
      const code = character.charCodeAt(0);
      if (character.length !== 1 || code < FIRST - 1 || code > LAST) return undefined;
      return character === PLAIN_AT ? "@" : pasteLabel(textOf(character));
    },
    unfold(input) {
      const pasted: Span[] = [];
      let text = "";
      let from = 0;
      for (const { 0: character, index } of input.matchAll(STANDS_FOR)) {
        text += input.slice(from, index);
        const whole = textOf(character);
        pasted.push({ start: text.length, end: text.length + whole.length });
        text += whole;
        from = index + 1;
      }
      return { text: text + input.slice(from), pasted };
    },
    restore,
    describe: (input) =>
      input.replace(STANDS_FOR, (character) => (character === PLAIN_AT ? "@" : pasteLabel(textOf(character)))),
    refold(written, input) {
      const edited = written.toWellFormed();
      const pasted: Span[] = [];
      const plain = new Set<string>();
      let from = 0;
      for (const [character, rest = ""] of input.matchAll(WITH_WORD)) {
        const whole = textOf(character.slice(0, 1));
        const start = edited.indexOf(whole, from);
        if (whole !== "@" && start !== -1) {
          from = start + whole.length;
          pasted.push({ start, end: from });
        } else for (const [word] of `${whole}${rest}`.matchAll(AT_WORD)) plain.add(word);
      }
      return restore({ text: edited, pasted }).replace(AT_WORD, (word) =>
        plain.has(word) ? PLAIN_AT + word.slice(1) : word,
      );
    },
  };
}

/** What stands for a long paste on the screen. */
export function pasteLabel(text: string): string {
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines > 1 ? `[pasted ${grouped(lines)} lines]` : `[pasted ${grouped(text.length)} characters]`;
}

function isLong(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return true;
  return text.replace(/\n$/, "").split("\n").length > MOST_LINES;
}

function grouped(number: number): string {
  return number.toLocaleString("en");
}
