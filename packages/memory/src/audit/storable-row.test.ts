import { expect, test } from "vitest";
import type { AuditRow } from "../index.ts";
import { storableRow } from "./storable-row.ts";

const row: AuditRow = {
  id: "00000000-0000-4000-8000-000000000001",
  at: "1970-01-01T00:00:00.000Z",
  phase: "intent",
  call_id: "1",
  agent: "ana",
  conversation: "c",
  tool: "bash",
  operation: null,
  outcome: null,
  details: '{"verdicts":[]}',
};
const verdict = { decision: "allow", effect: { action: "update", target: "file:///a.md" } };

test("a row that can be stored stays as it is", () => {
  expect(storableRow(row)).toEqual(row);
});

test("names of the wrong kind become texts, and details that are no text become their JSON", () => {
  const odd = { ...row, call_id: 7, agent: undefined, operation: "a\0b", details: { a: 1 } } as unknown as AuditRow;
  expect(storableRow(odd)).toMatchObject({
    call_id: "7",
    agent: "",
    operation: String.raw`a\u0000b`,
    details: '{"a":1}',
  });
  expect(storableRow({ ...row, details: undefined } as unknown as AuditRow).details).toBe("{}");
});

test("details of an audit row that are too long keep their decisions and the beginning of the input", () => {
  const input = Array.from({ length: 40_000 }, (_, n) => ({ [`field${n}`]: n }));
  const details = JSON.stringify({ client: "editor", input: { fields: input }, verdicts: [verdict] });
  const stored = storableRow({ ...row, details }).details;
  expect(stored.length).toBeLessThanOrEqual(64_000);
  expect(JSON.parse(stored)).toMatchObject({
    client: "editor",
    verdicts: [verdict],
    input: expect.stringMatching(/^\{"fields":.*… \(\d+ characters\)$/),
  });
});

test("details of an audit row with too many decisions keep the first ones", () => {
  const details = JSON.stringify({ verdicts: Array.from({ length: 9_000 }, () => verdict) });
  const { verdicts } = JSON.parse(storableRow({ ...row, details }).details) as { verdicts: unknown[] };
  expect(verdicts.length).toBeGreaterThan(100);
  expect(verdicts[0]).toEqual(verdict);
});

test.each([
  ["are no JSON", `{${"x".repeat(90_000)}`],
  ["are a list", JSON.stringify(Array.from({ length: 40_000 }, () => 1))],
  [
    "have too many parts",
    JSON.stringify(Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`part${n}`, "y"]))),
  ],
])("long details that %s keep their beginning", (_, details) => {
  const stored = storableRow({ ...row, details }).details;
  expect(stored.length).toBeLessThanOrEqual(64_000);
  expect(JSON.parse(stored)).toEqual({ cut: expect.stringContaining(details.slice(0, 1_000)) });
});
