import type { AnswerFacts } from "@ikigai/core";

/** A note in a list, as the tools answer it. Any of it may be cut. */
interface Listed {
  readonly name?: string;
  readonly uri?: string;
  readonly tags?: readonly string[];
  readonly snippet?: unknown;
  readonly relations?: readonly { readonly reason?: string }[];
}

interface NotesData {
  readonly notes?: readonly Listed[];
  readonly results?: readonly Listed[];
  readonly related?: readonly Listed[];
  readonly total?: number;
}

interface ReadData {
  readonly uri?: string;
  readonly content?: string;
  readonly version?: string;
  readonly total_lines?: number;
  readonly problem?: string;
}

/** Notes that were listed or found, one on each line with its address, tags, and why it was found. */
export function notesText(data: unknown, { input }: AnswerFacts): string {
  const { notes, results, related, total } = data as NotesData;
  const found = notes ?? results ?? related ?? [];
  if (found.length === 0) return "No notes.";
  return [...found.map(lineOf), ...leftLine(found.length, total ?? 0, input)].join("\n");
}

/** Tags with how many notes have each, one on each line. */
export function tagsText(data: unknown, { input }: AnswerFacts): string {
  const { tags = [], total = 0 } = data as {
    readonly tags?: readonly { readonly tag?: string; readonly count?: number }[];
    readonly total?: number;
  };
  if (tags.length === 0) return "No tags.";
  const lines = tags.map(({ tag = "", count = 0 }) => `#${tag} ${count}`);
  return [...lines, ...leftLine(tags.length, total, input)].join("\n");
}

/** A note's text as it is, then one line with its address, version and number of lines. */
export function noteText(data: unknown): string {
  const { uri = "", content = "", version = "", total_lines: total = 0, problem } = data as ReadData;
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  const told = problem === undefined ? "" : `, problem: ${problem}`;
  return `${content}${separator}[${uri}, version: ${version}, total_lines: ${total}${told}]`;
}

/** Says how many are not shown, of a list that begins at `offset` of the call. */
function leftLine(shown: number, total: number, { offset = 0 }: AnswerFacts["input"]): string[] {
  const next = shown + (typeof offset === "number" ? offset : 0);
  return next < total ? [`[${total - next} more of ${total} are not shown]`] : [];
}

function lineOf({ name = "", uri = "", tags = [], snippet, relations = [] }: Listed): string {
  const reasons = relations.map(({ reason = "" }) => reason).join(", ");
  const more = [
    ...tags.map((tag) => `#${tag}`),
    ...(reasons === "" ? [] : [`(${reasons})`]),
    ...(snippet === undefined ? [] : [typeof snippet === "string" ? snippet : JSON.stringify(snippet)]),
  ];
  return [`${name} <${uri}>`, ...more].join(" ");
}
