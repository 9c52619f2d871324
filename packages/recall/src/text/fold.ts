// oxlint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;
const COMBINING = /[\u0300-\u036f]/g;
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/**
 * Text as it is compared: lower case, one spelling per character, accents removed.
 *
 * Contract: folding twice changes nothing; Hangul, kana and other scripts keep their letters.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize("NFKD").replace(COMBINING, "").normalize("NFC").toLowerCase();
  const folded = plain.replace(COMBINING, "").replace(SPECIAL, (letter) => LETTERS[letter] as string);
  return folded === text ? text : settle(folded);
}

/** Lower-casing can bring out a form that folds again, such as a capital with its own decomposition. */
function settle(text: string): string {
  const again = text.normalize("NFKD").replace(COMBINING, "").normalize("NFC");
  return again === text ? text : fold(again);
}
