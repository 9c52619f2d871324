/**
 * Redacts what the strings of JSON inside a text say, and writes those that changed as JSON again: behind its escapes a line
 * is not seen for a line, nor a quote for a quote.
 *
 * Contract: leaves strings without a backslash, and what is no JSON, to others.
 */
export function redactJsonLiterals(text: string, redact: (text: string) => string): string {
  if (!text.includes("\\")) return text;
  let result = "";
  let done = 0;
  for (let open = text.indexOf('"'); open !== -1;) {
    const close = closingQuote(text, open + 1);
    if (close === -1) break;
    const redacted = redactLiteral(text.slice(open, close + 1), redact);
    if (redacted === undefined) {
      // The quote may have been the end of another string.
      open = close;
      continue;
    }
    result += text.slice(done, open) + redacted;
    done = close + 1;
    open = text.indexOf('"', done);
  }
  return result + text.slice(done);
}

/** Contract: `undefined` for what is no string of JSON. */
function redactLiteral(literal: string, redact: (text: string) => string): string | undefined {
  if (literal.includes("\n")) return undefined;
  if (!literal.includes("\\")) return literal;
  try {
    const decoded = JSON.parse(literal) as string;
    const redacted = redact(decoded);
    return redacted === decoded ? literal : JSON.stringify(redacted);
  } catch {
    return undefined;
  }
}

/** The next quote that no backslash escapes. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - escapes > from && text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}
