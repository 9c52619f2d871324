/** A part of a text that is a secret. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** What kind of secret it is, or the variable that holds it. */
  readonly name?: string;
  /** Written around what stands for the secret, so that JSON stays JSON where a number was taken out. */
  readonly quote?: string;
}

/** Finds secrets of one kind. Contract: never throws; takes time in proportion to the text; the order is free. */
export type SecretFinder = (text: string) => readonly SecretSpan[];

/** The marker that stands in the place of a secret. */
const MARKER = /^\[redacted(?::[^\]\n]{1,60})?\]$/;

/** Whether a text is nothing but what stands for a secret. */
export function isMarker(text: string): boolean {
  return MARKER.test(text);
}

/** The marker that replaces the secret of a span. */
export function markerOf({ name, quote = "" }: Pick<SecretSpan, "name" | "quote">): string {
  return `${quote}[redacted${name === undefined ? "" : `:${name}`}]${quote}`;
}

/**
 * The spans in the order of the text, overlapping ones as one.
 *
 * Contract: what is only a marker is left out, so that a text that was redacted stays as it is.
 */
export function mergeSpans(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: SecretSpan[] = [];
  for (const span of sorted) {
    if (span.end <= span.start || isMarker(text.slice(span.start, span.end))) continue;
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) {
      merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    } else merged.push(span);
  }
  return merged;
}
