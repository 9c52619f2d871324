import type { CallPart } from "@ikigai/agent";
import type { Envelope } from "@ikigai/core";
import { renderDiff } from "../terminal/render-diff.ts";
import { cutToWidth, escapeText } from "@ikigai/terminal";

const DIFF_LINES = 12;
const FOLDED_LINES = 8;
const FOLDED_CHARACTERS = 1_200;
const TEXT_FIELDS = ["content", "output", "text", "diff"];
const SUBJECTS = ["path", "label", "command", "pattern", "name", "query", "source_id"];

/** A call on one line: its name and what it is about. Contract: escaped. */
export function describeCall({ name, arguments: input }: CallPart, columns: number): string {
  const fields = fieldsOf(input);
  const subject = SUBJECTS.map((field) => fields[field]).find((value) => typeof value === "string");
  const operation = typeof fields["op"] === "string" ? ` ${fields["op"]}` : "";
  return cutToWidth(escapeText(`${name}${operation} ${subject ?? ""}`.replaceAll(/\s+/g, " ").trim()), columns);
}

/** The whole result as lines for a person. Contract: escaped. */
export function resultLines(envelope: Envelope): string[] {
  if (!envelope.success) return escapeText(`${envelope.code}: ${envelope.error}`).split("\n");
  const { data } = envelope;
  if (typeof data === "string") return escapeText(data).split("\n");
  const fields = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  const text = TEXT_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string");
  const shown = typeof text === "string" ? text.replace(/\n$/, "") : JSON.stringify(data);
  return escapeText(shown ?? "").split("\n");
}

/** The beginning of a long text, with how much is left out. */
export function foldText(text: string): string {
  const lines = text.split("\n");
  const cut = lines.slice(0, FOLDED_LINES).map((line) => line.slice(0, FOLDED_CHARACTERS));
  const shown = cut.join("\n").slice(0, FOLDED_CHARACTERS);
  if (shown.length === text.length) return text;
  const hidden = lines.length - shown.split("\n").length;
  const what = hidden > 0 ? `${hidden} more ${hidden === 1 ? "line" : "lines"}` : `${text.length} characters in all`;
  return `${shown.toWellFormed()}\n… ${what}`;
}

/** What an edit changed, when its arguments say so. */
export function editDiff({ arguments: input }: CallPart, colours: boolean): string | undefined {
  const { old, new: next } = fieldsOf(input);
  return typeof old === "string" && typeof next === "string"
    ? renderDiff(`${old}\n`, `${next}\n`, DIFF_LINES, colours)
    : undefined;
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
