import type { HitData } from "./recall-answer.ts";

/** What the tool answers, of an insert or a search. Any of it may be cut. */
interface RecallData {
  readonly message?: string;
  readonly results?: readonly Partial<HitData>[];
  readonly notes?: readonly string[];
}

/**
 * An answer of the recall tool as a model reads it: each result as its text below one line with where it is from.
 *
 * Contract: an entry's line has the id that `supersedes` takes, any other the address that `file_read` takes.
 */
export function recallText(data: unknown): string | undefined {
  const { message, results, notes = [] } = data as RecallData;
  if (results === undefined) return message;
  const found = results.length === 0 ? ["Nothing was found."] : results.map(hitText);
  return [...found, ...notes.map((note) => `[${note}]`)].join("\n\n");
}

function hitText(hit: Partial<HitData>, index: number): string {
  const { id = "", kind = "entry", address = "", content = "", excerpt, metadata = {}, occurred_at, created_at } = hit;
  const day = (occurred_at ?? created_at)?.slice(0, 10);
  const lines = excerpt && `from line ${excerpt.start_line} of ${excerpt.total_lines}`;
  const facts = Object.entries(metadata).map(([key, value]) => `${key}: ${plain(value)}`);
  const head = [kind === "entry" ? `entry ${id}` : `${kind} ${address}`, day, lines, ...facts].filter(
    (part) => part !== undefined,
  );
  return `${index + 1}. ${head.join(", ")}\n${content}`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
