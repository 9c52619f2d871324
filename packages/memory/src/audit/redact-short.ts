import type { Redactor } from "@ikigai/core/redact";

const SHOWN = 4_000;
/** Looked at beyond what is shown, so that no secret is cut before it is recognised. */
const MARGIN = 4_000;
/** Never shown of the end of what was looked at: a secret may have been cut there. */
const DOUBTFUL = 1_000;

/** Takes secrets out of a value, and of a long text keeps only the beginning: the journal has the whole. */
export function redactShort({ redact, redactValue }: Redactor): (value: unknown) => unknown {
  const shorten = (text: string): string => {
    if (text.length <= SHOWN) return text;
    const looked = redact(text.slice(0, SHOWN + MARGIN).toWellFormed());
    const end = Math.min(SHOWN, Math.max(looked.length - DOUBTFUL, 0));
    return `${looked.slice(0, end).toWellFormed()}… (${text.length} characters)`;
  };
  // A value that was redacted once is not changed by a second time.
  return (value) => redactValue(mapTexts(value, shorten));
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTexts(part, map)]));
}
