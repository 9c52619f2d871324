import { escapeHidden } from "@ikigai/core/host";

/** `text` with every character that a person could not see written as its code, cut at `limit` characters. */
export function visibleText(text: string, limit: number): string {
  const shown = escapeHidden(text.slice(0, limit).toWellFormed());
  return text.length > limit ? `${shown}… [${text.length - limit} more characters are not shown]` : shown;
}
