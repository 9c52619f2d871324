import type { HtmlEnd } from "./html.ts";
import { createInlineScanner, type InlineScanner } from "./inline-scanner.ts";
import { flushParagraph } from "./paragraph.ts";
import type { ScanSink } from "./scan.ts";

/** Width of a list item's indentation, or 0 for a block quote. */
export type Container = number;

/** A block whose lines are not running text. */
export type Raw =
  | { readonly kind: "fence"; readonly mark: number; readonly length: number }
  | { readonly kind: "html"; readonly end: HtmlEnd }
  | { readonly kind: "math" };

export const QUOTE: Container = 0;

/** What is open where the scan of a body stands. */
export interface OpenBlocks {
  readonly text: string;
  readonly sink: ScanSink;
  readonly inline: InlineScanner;
  readonly containers: Container[];
  /** How many of the containers are quotes. */
  quotes: number;
  raw: Raw | undefined;
  /** Number of containers around the raw text. */
  rawDepth: number;
  /** Where the paragraph begins, or -1. */
  paragraph: number;
  paragraphEnd: number;
  firstLineEnd: number;
  /** Whether a `%%` comment is open. */
  commented: boolean;
}

export function createOpenBlocks(text: string): OpenBlocks {
  const sink: ScanSink = { links: [], tags: [], headings: [], blocks: [] };
  return {
    text,
    sink,
    inline: createInlineScanner(text, sink),
    containers: [],
    quotes: 0,
    raw: undefined,
    rawDepth: 0,
    paragraph: -1,
    paragraphEnd: -1,
    firstLineEnd: -1,
    commented: false,
  };
}

export function closeParagraph(open: OpenBlocks): void {
  const { text, paragraph, paragraphEnd, inline, sink, commented } = open;
  if (paragraph === -1) return;
  flushParagraph(text, paragraph, paragraphEnd, inline, sink, commented);
  open.paragraph = -1;
}

/** Ends the containers behind the first `depth`. */
export function truncate(open: OpenBlocks, depth: number): void {
  const { containers } = open;
  while (containers.length > depth) if (containers.pop() === QUOTE) open.quotes -= 1;
}

/** Ends the containers behind the first `depth`, and the paragraph in them. */
export function closeTo(open: OpenBlocks, depth: number): void {
  if (depth === open.containers.length) return;
  closeParagraph(open);
  truncate(open, depth);
}

export function pushContainer(open: OpenBlocks, container: Container): void {
  closeParagraph(open);
  open.containers.push(container);
  if (container === QUOTE) open.quotes += 1;
}

export function startRaw(open: OpenBlocks, block: Raw): void {
  closeParagraph(open);
  open.raw = block;
  open.rawDepth = open.containers.length;
}
