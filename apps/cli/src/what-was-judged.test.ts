import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataOf } from "@ikigai/host";
import type { TestCall } from "./testing/effect-cases.ts";
import {
  changesBeyondJudged,
  JUDGED_CASES,
  type JudgedBench,
  MEANWHILE,
  openJudgedBench,
} from "./testing/judged-bench.ts";

let bench: JudgedBench;
beforeAll(async () => {
  bench = await openJudgedBench();
});
afterAll(async () => bench[Symbol.asyncDispose]());

const SAME = "the same call is made by another";

test.each(JUDGED_CASES)(
  "while a person is asked, the same call is made by another, and %s does what was judged, or is refused",
  async (_, one) => {
    const { envelope, beyond } = await changesBeyondJudged(bench, one, MEANWHILE[SAME] as (typeof MEANWHILE)[string]);
    expect(envelope).not.toMatchObject({ code: "internal" });
    expect(bench.told).toEqual([]);
    expect(beyond).toEqual([]);
  },
);

const undo = (place: string): TestCall => ({ tool: "slash_command", command: `/undo ${place}` });

// Two `/undo` of one note, 8 ms apart: both were judged as "update N2.md"; the second one then found the change before,
// a rename, and took that back: it changed a file under a `human` rule and deleted a note.
test("an undo that was asked for before another undo takes nothing else back", async () => {
  const one = await bench.begin([]);
  mkdirSync(join(bench.root, "kept"));
  writeFileSync(join(bench.root, "N1.md"), "first\n");
  writeFileSync(join(bench.root, "kept", "links.md"), "see [[N1]]\n");
  for (const host of [bench.others, bench.asking]) await host.services.notes?.index.refresh();
  dataOf(await one.call({ tool: "rename_note", name: "N1", new_name: "N2" }));
  dataOf(await one.call({ tool: "file_edit", path: "N2.md", old: "first", new: "second" }));
  bench.meanwhile = async () => void dataOf(await one.call(undo("N2.md")));
  const envelope = await one.call(undo("N2.md"), bench.asking);
  expect(bench.asked).toEqual(["update file:///N2.md"]);
  expect(envelope).toMatchObject({
    success: false,
    code: "conflict",
    error: expect.stringMatching(/Change \d+ of file:\/\/\/N2\.md was taken back by another call meanwhile/),
  });
  expect(readFileSync(join(bench.root, "N2.md"), "utf8")).toBe("first\n");
  expect(readFileSync(join(bench.root, "kept", "links.md"), "utf8")).toBe("see [[N2]]\n");
  expect(readdirSync(bench.root)).not.toContain("N1.md");
});

test("two undo calls at the same moment take one change back", async () => {
  const one = await bench.begin([{ tool: "file_edit", path: "a.md", old: "one", new: "1" }]);
  dataOf(await one.call({ tool: "file_edit", path: "a.md", old: "two", new: "2" }));
  const answers = await Promise.all([one.call(undo("a.md"), bench.asking), one.call(undo("a.md"), bench.asking)]);
  const done = answers.filter(({ success }) => success).length;
  expect(done).toBeGreaterThan(0);
  expect(readFileSync(join(bench.root, "a.md"), "utf8")).toBe(done === 1 ? "1\ntwo\n" : "one\ntwo\n");
});
