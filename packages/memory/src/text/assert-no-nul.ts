import { IkigaiError } from "@ikigai/core";

/**
 * Refuses what neither files nor databases keep.
 *
 * Contract: throws `invalid_input` when `value` is a text with a NUL character, or a list or an object that holds one
 * anywhere.
 */
export function assertNoNul(name: string, value: unknown): void {
  // A list of values still to check instead of recursion: what a model sends may be nested deeper than the stack.
  const left: unknown[] = [value];
  while (left.length > 0) {
    const part = left.pop();
    if (typeof part === "string") assertText(name, part);
    else if (typeof part === "object" && part !== null) for (const inner of Object.values(part)) left.push(inner);
  }
}

function assertText(name: string, text: string): void {
  const at = text.indexOf("\0");
  if (at === -1) return;
  throw new IkigaiError("invalid_input", `${name} contains a NUL character, at offset ${at}`, {
    hint: "Leave it out, and write plain text.",
  });
}
