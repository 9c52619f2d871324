import type { SecretSpan } from "./secret-span.ts";
import { looksChosen } from "./secret-values.ts";

const SCHEME = /(?:bearer|basic|digest|token)[ \t]{1,4}(?<secret>[A-Za-z0-9+/._~-]{16,4096}={0,2})/dgi;

/** `Bearer …` and its kin without the name of a header before it. */
export function findBearerTokens(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  for (const match of text.matchAll(SCHEME)) {
    const [start, end] = match.indices?.groups?.["secret"] ?? [0, 0];
    const secret = text.slice(start, end);
    if (looksChosen(secret) || (secret.length >= 24 && /^[A-Za-z0-9_+=]+$/.test(secret)))
      found.push({ name: "authorization", start, end });
  }
  return found;
}
