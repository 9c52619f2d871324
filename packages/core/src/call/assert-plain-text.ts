import { IkigaiError } from "../errors.ts";

/**
 * Refuses what is no text anywhere: files, databases and programs take neither a NUL nor half of a surrogate pair.
 *
 * Contract: `invalid_input` that names the field and the offset when any text in `value` has one, however deep, the names
 * of fields included. Reads only.
 */
export function assertPlainText(tool: string, value: Readonly<Record<string, unknown>>): void {
  for (const [field, part] of Object.entries(value)) {
    assertPlain(tool, "The name of a field", field);
    // A list of values still to check instead of recursion: what a model sends may be nested deeper than the stack.
    const left: unknown[] = [part];
    while (left.length > 0) {
      const inner = left.pop();
      if (typeof inner === "string") assertPlain(tool, `The field ${JSON.stringify(field)}`, inner);
      else if (typeof inner === "object" && inner !== null) {
        for (const [name, below] of Object.entries(inner)) left.push(name, below);
      }
    }
  }
}

function assertPlain(tool: string, what: string, text: string): void {
  const nul = text.indexOf("\0");
  if (nul === -1 && text.isWellFormed()) return;
  const [problem, at] = nul === -1 ? ["half of a surrogate pair", loneSurrogateAt(text)] : ["a NUL character", nul];
  throw new IkigaiError("invalid_input", `${tool}: ${what} contains ${problem}, at offset ${at}`, {
    hint: "Leave it out, and send plain text.",
  });
}

/** The offset of the first half of a pair that stands alone. */
function loneSurrogateAt(text: string): number {
  return /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.exec(text)?.index ?? 0;
}
