import type { AuditRow } from "./audit.ts";
import { storableName, storableText } from "./storable-text.ts";

/** Characters of JSON that the details of a row may have. */
const MAX_DETAILS = 64_000;
/** Characters that one part of details that are too long may keep. */
const MAX_PART = 12_000;

/**
 * A row as every store takes it: what cannot be stored is shown as its code, and every field has a bounded size.
 *
 * Contract: gives a row that is storable back as it is; also takes rows that an earlier version wrote. Of details that are
 * too long the beginnings of their parts are kept. Never throws.
 */
export function storableRow(row: AuditRow): AuditRow {
  return {
    ...row,
    call_id: nameOf(row.call_id),
    agent: nameOf(row.agent),
    conversation: nameOf(row.conversation),
    tool: nameOf(row.tool),
    operation: nameOrNull(row.operation),
    outcome: nameOrNull(row.outcome),
    details: boundDetails(row.details),
  };
}

function nameOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return storableName(typeof value === "string" ? value : JSON.stringify(value));
}

function nameOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : nameOf(value);
}

function boundDetails(details: unknown): string {
  const json = typeof details === "string" ? details : JSON.stringify(details ?? {});
  if (json.length <= MAX_DETAILS) return storableText(json, MAX_DETAILS);
  const cut = JSON.stringify(cutParts(json));
  return cut.length <= MAX_DETAILS ? cut : JSON.stringify({ cut: beginning(json) });
}

/** Whole effects from the front, and of every other part that is long the beginning of its JSON. */
function cutParts(json: string): object {
  let parts: unknown;
  try {
    parts = JSON.parse(json);
  } catch {
    parts = undefined;
  }
  if (typeof parts !== "object" || parts === null || Array.isArray(parts)) return { cut: beginning(json) };
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]: [string, unknown]) => {
      const text = JSON.stringify(part);
      if (text.length <= MAX_PART) return [name, part];
      return [name, Array.isArray(part) ? firstOf(part) : beginning(text)];
    }),
  );
}

function firstOf(list: readonly unknown[]): unknown[] {
  const shown: unknown[] = [];
  let left = MAX_PART;
  for (const item of list) {
    left -= JSON.stringify(item).length + 1;
    if (left < 0) break;
    shown.push(item);
  }
  return shown;
}

/** Escaping makes it at most twice as long again. */
function beginning(json: string): string {
  return `${json.slice(0, MAX_PART / 2).replace(/[\ud800-\udbff]$/, "")}… (${json.length} characters)`;
}
