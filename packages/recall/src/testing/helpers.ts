import assert from "node:assert/strict";
import { type ErrorCode, IkigaiError } from "@ikigai/core";
import type { NewEntry, RecallCall, RecallStore, SearchRequest } from "../contract.ts";

export const NOW: Date = new Date("2024-06-15T12:00:00Z");
export const ME: RecallCall = { owner: "agent-a", now: NOW };
export const OTHER: RecallCall = { owner: "agent-b", now: NOW };

/** Stores texts one after the other and gives their ids. */
export async function keep(
  store: RecallStore,
  entries: readonly (string | NewEntry)[],
  call: RecallCall = ME,
): Promise<readonly string[]> {
  const full = entries.map((entry) => (typeof entry === "string" ? { content: entry } : entry));
  return (await store.insert(full, call)).map(({ id }) => id);
}

/** Contents of the results, best first. */
export async function found(
  store: RecallStore,
  request: string | SearchRequest,
  call: RecallCall = ME,
): Promise<readonly string[]> {
  const hits = await store.search(typeof request === "string" ? { query: request } : request, call);
  return hits.map(({ content }) => content);
}

export async function rejects(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(IkigaiError.is(error, code), `expected ${code}, got ${String(error)}`);
}
