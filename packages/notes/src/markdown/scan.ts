/** A link as it stands in a note's text. */
export interface ScannedLink {
  readonly kind: "wikilink" | "markdown" | "property";
  /** Whether it is shown in place: `![[…]]` or `![…](…)`. */
  readonly embed: boolean;
  /** A wikilink's text between the brackets, or a Markdown link's destination as written. */
  readonly raw: string;
  /** Where the link starts and ends in the text, marks included. -1 when the text spells it otherwise. */
  readonly start: number;
  readonly end: number;
}

/** A tag in the text, without its `#`. */
export interface ScannedTag {
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

export interface ScannedHeading {
  readonly level: number;
  readonly text: string;
  /** The start of its line and the end of its last line, without the line ending. */
  readonly start: number;
  readonly end: number;
}

/** A paragraph, item or row that carries a `^id`. */
export interface ScannedBlock {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** What a note's body says to other notes. Positions count UTF-16 units from the start of the note. */
export interface BodyScan {
  readonly links: readonly ScannedLink[];
  readonly tags: readonly ScannedTag[];
  readonly headings: readonly ScannedHeading[];
  readonly blocks: readonly ScannedBlock[];
}

/** Lists that the scanners add what they find to. */
export interface ScanSink {
  readonly links: ScannedLink[];
  readonly tags: ScannedTag[];
  readonly headings: ScannedHeading[];
  readonly blocks: ScannedBlock[];
}

export const CHAR = {
  tab: 9,
  newline: 10,
  carriageReturn: 13,
  space: 32,
  bang: 33,
  quote: 34,
  hash: 35,
  dollar: 36,
  percent: 37,
  apostrophe: 39,
  open: 40,
  close: 41,
  star: 42,
  plus: 43,
  dash: 45,
  dot: 46,
  slash: 47,
  zero: 48,
  nine: 57,
  colon: 58,
  less: 60,
  equals: 61,
  greater: 62,
  bracket: 91,
  backslash: 92,
  unbracket: 93,
  caret: 94,
  underscore: 95,
  backtick: 96,
  pipe: 124,
  tilde: 126,
} as const;
