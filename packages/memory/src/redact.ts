const SECRET_NAMES =
  /pass(?:word|phrase|wd)?$|secret|credential|authorization|api[-_]?key|private[-_]?key|(?:^|[-_])token$/i;
const SECRET_TEXTS =
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAKIA[0-9A-Z]{16}\b|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+|(?<=\bBearer )[A-Za-z0-9._~+/-]{8,}=*|(?<=:\/\/[^/\s:@]{1,200}:)[^@\s/]{1,500}(?=@)/g;
const MAX_TEXT = 4_000;
const HIDDEN = "[hidden]";

/** A copy without what looks like a secret, and without long texts, which the journal has. */
export function redact(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.replace(SECRET_TEXTS, HIDDEN);
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
  }
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SECRET_NAMES.test(name) ? HIDDEN : redact(inner)]),
  );
}
