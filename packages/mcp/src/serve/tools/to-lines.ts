/** Longest object, in characters, that stands on one line. */
const ONE_LINE = 160;
/** Keys that say no more than that their value is the text. */
const TEXT_KEYS: ReadonlySet<string> = new Set(["text", "content", "output", "message"]);
/** Deeper than this, a part is written as JSON. */
const MAX_DEPTH = 8;

/**
 * Any JSON value as lines that a model reads: `key: value`, lists with dashes, long texts as they are.
 *
 * Contract: nothing of the value is left out, and no text above `MAX_DEPTH` is escaped. A text of several lines stands
 * at the end of its object, below a line with its key.
 */
export function toLines(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  if (depth === MAX_DEPTH) return JSON.stringify(value);
  if (Array.isArray(value)) return listLines(value, depth);
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  const [first] = entries;
  if (entries.length === 1 && TEXT_KEYS.has(first?.[0] ?? "") && typeof first?.[1] === "string") return first[1];
  if (entries.every(([, part]) => isWord(part))) {
    const line = entries.map(([key, part]) => `${key}: ${String(part)}`).join(", ");
    if (line.length <= ONE_LINE) return line;
  }
  const isText = ([, part]: readonly [string, unknown]): boolean => typeof part === "string" && part.includes("\n");
  return [...entries.filter((entry) => !isText(entry)), ...entries.filter(isText)]
    .map(([key, part]) => fieldLines(key, part, depth))
    .join("\n");
}

function fieldLines(key: string, part: unknown, depth: number): string {
  if (typeof part === "string") return part.includes("\n") ? `${key}:\n${part}` : `${key}: ${part}`;
  if (typeof part !== "object" || part === null) return `${key}: ${String(part)}`;
  if (Object.keys(part).length === 0) return `${key}: none`;
  if (Array.isArray(part) && part.every((one) => isWord(one) && !String(one).includes(","))) {
    const line = part.join(", ");
    if (line.length <= ONE_LINE) return `${key}: ${line}`;
  }
  const below = toLines(part, depth + 1);
  return Array.isArray(part) || below.includes("\n") ? `${key}:\n${indent(below)}` : `${key}: ${below}`;
}

function listLines(list: readonly unknown[], depth: number): string {
  if (list.length === 0) return "none";
  return list.map((item) => `- ${indent(toLines(item, depth + 1)).slice(2)}`).join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

/** Whether a value is written in a few characters of one line. */
function isWord(value: unknown): boolean {
  return typeof value === "string" ? !value.includes("\n") : typeof value !== "object" || value === null;
}
