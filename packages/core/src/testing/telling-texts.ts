/** Texts that a careless source alters: line ends, white space, marks, spellings of one letter, sizes. */
export const ODD_TEXTS: readonly string[] = [
  "plain",
  "",
  " ",
  "\n",
  "no newline at the end",
  "trailing spaces   \n\n\n",
  "línea\r\n\ttab\r\n",
  "\rold\r",
  "\uFEFFwith a byte order mark\n",
  "emoji 🧠 and é written twice: e\u0301\n",
  "\u2028\u2029\u0085",
  '{"json": "\\"quoted\\""}',
  "null",
  "0",
  "' ; -- %s %20 ${x} \\n",
  `${"x".repeat(99_999)}\n`,
];

/** Texts that differ so little that a careless version does not tell them apart. */
export const NEAR_TEXTS: readonly string[] = [
  "two",
  "TWO",
  "two ",
  " two",
  "two\n",
  "two\r\n",
  "two\r",
  "\uFEFFtwo",
  "tow",
  "",
  "caf\u00E9",
  "cafe\u0301",
  "\uFB01n",
  "fin",
  ...[1_024, 4_096, 65_536, 300_000].flatMap((size) => [`${"x".repeat(size)}a`, `${"x".repeat(size)}b`]),
  `a${"x".repeat(5_000)}`,
  `${"x".repeat(2_500)}a${"x".repeat(2_500)}`,
  `${"x".repeat(2_500)}b${"x".repeat(2_500)}`,
];

/** More paths than the pages of most services hold. */
export const MANY = 1_050;

const MEBIBYTE = 1_048_576;

/** Texts longer than common limits, with letters of several bytes lying across the ends of blocks. */
export const LONG_TEXTS: readonly string[] = [`${"x".repeat(MEBIBYTE)}end`, `a${"ä🧠".repeat(350_000)}end`];

/** Paths that a careless source mixes up, decodes, hides or refuses. */
export const ODD_PATHS: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "notes/naïve café/日本語 🧠.md",
  "notes/naive cafe/x.md",
  " leading space.md",
  "trailing space.md ",
  "a b.md",
  "a%20b.md",
  "a+b.md",
  "a#b.md",
  "a?b=c.md",
  "a:b.md",
  "a*b.md",
  "a;b.md",
  "q'u\"o.md",
  ".hidden.md",
  "..dots.md",
  "no-extension",
  "very/deep/folder/of/folders/x.md",
  `long/${"n".repeat(200)}.md`,
];

/**
 * What the suite itself puts before a source that cannot write: enough to show a wrong order, a cut list, a folded
 * spelling or an altered text.
 *
 * Contract: the keys are not in order; `path` makes the paths, all different.
 */
export function tellingTexts(path: ((index: number) => string) | undefined): Record<string, string> {
  const odd =
    path === undefined ? [...SPELLINGS, ...numbered(110)] : shuffled(Array.from({ length: 130 }, (_, n) => path(n)));
  const texts = [...ODD_TEXTS, LONG_TEXTS[0] as string];
  return Object.fromEntries(odd.map((one, at) => [one, texts[at] ?? `text of ${one}\n`]));
}

const SPELLINGS: readonly string[] = [
  "b.md",
  "B.md",
  "a-b.md",
  "a/b.md",
  "a/b c.md",
  "ab.md",
  "a_1.md",
  "a%20.md",
  "🧠.md",
  "ｆ.md",
  "ä.md",
  "caf\u00E9/menu.md",
  "A.md",
  "deep/er/still/x.md",
  "deep.md",
  "constructor",
  "_.md",
  ".hidden.md",
];

/** Paths `many/0007.md` and so on, in an order that is neither theirs nor its reverse. */
export function numbered(count: number): string[] {
  return shuffled(Array.from({ length: count }, (_, n) => `many/${String(n).padStart(4, "0")}.md`));
}

/** Contract: the same order each time. */
function shuffled(items: readonly string[]): string[] {
  const rank = (n: number): number => (n * 7_919 + 13) % 1_009;
  return items
    .map((item, n) => ({ item, n }))
    .toSorted((a, b) => rank(a.n) - rank(b.n) || a.n - b.n)
    .map(({ item }) => item);
}

/** Other spellings of a path, none of which is the path itself. A source must not take one for the other. */
export function misspellingsOf(path: string): string[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const swapped = Array.from(path, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
  const spellings = [
    swapped.join(""),
    path.toUpperCase(),
    path.toLowerCase(),
    `${path}.bak`,
    `${path}x`,
    `${path} `,
    Array.from(path).slice(0, -1).join(""),
    name,
    `x/${path}`,
    `x${path}`,
    encodeURIComponent(path),
    path.normalize("NFC"),
    path.normalize("NFD"),
    path.replaceAll(/[a-z]/g, "?"),
    path.replace(/\.[^./]+$/, ""),
    path.replace(/\d/, "0$&"),
  ];
  return [...new Set(spellings)].filter(
    (one) => one !== path && one !== "" && one.isWellFormed() && !one.endsWith("/"),
  );
}

/** Prefixes that begin like `path` to a careless eye: patterns, other cases, later parts, other spellings. */
export function trickyPrefixesOf(path: string): string[] {
  const letters = Array.from(path);
  const half = letters.slice(0, Math.ceil(letters.length / 2)).join("");
  const less = letters.slice(0, Math.ceil(letters.length / 2) - 1).join("");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return [
    name,
    letters.slice(1).join(""),
    letters.slice(-3).join(""),
    `${path}/`,
    `${path}x`,
    `${half}*`,
    `${less}?`,
    `${less}_`,
    `${less}.`,
    `${half}%`,
    `^${half}`,
    half.toUpperCase(),
    half.toLowerCase(),
    half.normalize("NFC"),
    half.normalize("NFD"),
    encodeURIComponent(half),
    ` ${half}`,
    `${half} `,
  ].filter((one) => one !== "" && one.isWellFormed());
}
