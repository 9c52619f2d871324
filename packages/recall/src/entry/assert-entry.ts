import { IkigaiError } from "@ikigai/core";
import type { NewEntry } from "../contract.ts";

export const MAX_CONTENT = 1_000_000;
const MAX_METADATA = 100_000;
const MAX_THREAD = 1_000;

/** Contract: throws `invalid_input` unless the entry can be stored in every engine. */
export function assertEntry({ content, metadata, thread, order, occurredAt, provenance }: NewEntry): void {
  if (content.trim() === "") throw refuse("the content is empty", "Give the text to keep.");
  if (content.length > MAX_CONTENT) {
    throw refuse(
      `the content has ${content.length} characters, the limit is ${MAX_CONTENT}`,
      "Split it into several entries of one thread.",
    );
  }
  assertText("content", content);
  if (thread !== undefined) {
    assertText("thread", thread);
    if (thread === "" || thread.length > MAX_THREAD) throw refuse(`thread must have 1 to ${MAX_THREAD} characters`);
  }
  if (order !== undefined && !Number.isFinite(order)) throw refuse("order must be a finite number");
  if (occurredAt !== undefined) assertDate("occurred_at", occurredAt);
  for (const [name, value] of Object.entries({ metadata, provenance })) {
    if (value !== undefined) assertJson(name, value);
  }
}

/** Contract: throws `invalid_input` for a date that no engine can hold. */
export function assertDate(name: string, date: Date): void {
  const year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) {
    throw refuse(`${name} is not a date of the years 1 to 9999`, "Write it as in 2023-03-07T12:00:00Z.");
  }
}

function assertText(name: string, text: string): void {
  if (text.includes("\0")) throw refuse(`${name} contains a NUL character`, "Leave it out.");
  if (!text.isWellFormed()) throw refuse(`${name} contains half of a surrogate pair`, "Send whole characters.");
}

function assertJson(name: string, value: object): void {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new IkigaiError("invalid_input", `recall: ${name} is not plain JSON`, {
      hint: "Use texts, finite numbers, true, false, null, lists and plain objects.",
      cause,
    });
  }
  if (text.length > MAX_METADATA) throw refuse(`${name} has ${text.length} characters, the limit is ${MAX_METADATA}`);
  if (/\\u0000|\\ud[89a-f]/i.test(text.replaceAll("\\\\", ""))) {
    throw refuse(`${name} contains a NUL character or half of a surrogate pair`, "Leave it out.");
  }
}

function refuse(message: string, hint?: string): IkigaiError {
  return new IkigaiError("invalid_input", `recall: ${message}`, hint === undefined ? {} : { hint });
}
