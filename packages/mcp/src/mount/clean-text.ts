import { removeHidden } from "@ikigai/core/host";

/** Longest warning about a server, in characters. */
export const MAX_WARNING = 1_000;

/** Foreign text that a model will read: only what a person can see of it, at most `limit` characters. */
export function cleanText(text: string, limit: number): string {
  const seen = removeHidden(text.toWellFormed(), { forReading: true }).trim();
  return seen.length > limit ? `${seen.slice(0, limit - 1).toWellFormed()}…` : seen;
}
