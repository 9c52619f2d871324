import { removeHidden } from "@ikigai/core/host";

/** Foreign text that a model will read: only what a person can see of it, at most `limit` characters. */
export function cleanText(text: string, limit: number): string {
  const seen = removeHidden(text.toWellFormed(), { forReading: true }).trim();
  return seen.length > limit ? `${seen.slice(0, limit - 1).toWellFormed()}…` : seen;
}
