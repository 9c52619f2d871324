import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Death, type Grave, openGrave } from "./testing/die-and-go-on.ts";

let grave: Grave;

vi.setConfig({ testTimeout: 90_000 });
beforeAll(async () => {
  process.env["ANTHROPIC_API_KEY"] = "scripted";
  grave = await openGrave();
});
afterAll(async () => {
  delete process.env["ANTHROPIC_API_KEY"];
  await grave[Symbol.asyncDispose]();
});

const NOT_ANSWERED = /> work\nThe last question was not answered/;

test.each<[string, Death, { told: RegExp; stamps: number; results: number }]>([
  [
    "before the first byte of the answer",
    { request: "answer", where: "before_headers" },
    { told: NOT_ANSWERED, stamps: 0, results: 0 },
  ],
  [
    "in the middle of the text",
    { request: "answer", where: "mid_text" },
    { told: NOT_ANSWERED, stamps: 0, results: 0 },
  ],
  [
    "in the middle of the arguments of a call",
    { request: "answer", where: "mid_arguments" },
    { told: NOT_ANSWERED, stamps: 0, results: 0 },
  ],
  [
    "when a call is stored and has not begun",
    { point: "after storing calls" },
    { told: /Interrupted: stamp one\. Whether it ran is not known/, stamps: 0, results: 1 },
  ],
  [
    "when a call is approved and has not run",
    { point: "approved" },
    { told: /Interrupted: stamp/, stamps: 0, results: 1 },
  ],
  [
    "when its effect is there and its result is not stored",
    { point: "stamped" },
    { told: /Interrupted: stamp/, stamps: 1, results: 1 },
  ],
  [
    "when the result is stored and not sent",
    { point: "after storing tool" },
    { told: /stopped after stamp; its result is kept/, stamps: 1, results: 1 },
  ],
  ["before what is evicted is archived", { point: "before archiving" }, { told: NOT_ANSWERED, stamps: 0, results: 0 }],
  ["when it is archived and nobody knows", { point: "after archiving" }, { told: NOT_ANSWERED, stamps: 0, results: 0 }],
  [
    "while the summary is written",
    { request: "summary", where: "mid_text" },
    { told: /not answered|Interrupted|stopped after|All done/, stamps: 1, results: 1 },
  ],
  [
    "while the model shortens a text",
    { request: "compaction", where: "mid_text" },
    { told: /Interrupted: slash_command/, stamps: 1, results: 3 },
  ],
  [
    "when the shorter text is agreed to and not written",
    { point: "agreed to compact" },
    { told: /Interrupted: slash_command/, stamps: 1, results: 3 },
  ],
])("killed %s, a conversation goes on", async (_, death, wanted) => {
  const gone = await grave.dieAndGoOn(death);
  expect(gone.killed).toBe(true);
  expect(gone.refused).toEqual([]);
  expect(gone.greeting).toMatch(wanted.told);
  for (const answer of gone.answers) expect(answer).toContain("whole again");
  if (!("request" in death) || death.request !== "summary") {
    expect(gone.stamps).toHaveLength(wanted.stamps);
    expect(gone.answers[0]).toContain(`${wanted.results} results`);
  } else expect(gone.stamps.length).toBeLessThanOrEqual(1);
});
