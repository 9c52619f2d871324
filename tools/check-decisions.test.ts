import { expect, test } from "vitest";
import { findMentionProblems, findRecordProblems } from "./check-decisions.mjs";

const index = `# Decisions

| record | in one line | date | status |
| --- | --- | --- | --- |
| [0010 Suites](0010-suites.md) | Why they are published. | 2026-11-16 | holds |

## Ended numbers

| ended | is now part of |
| --- | --- |
| 0011, 0012 | [0010](0010-suites.md) |
`;
const FILE = "0010-suites.md";
const OLD_FILE = "0010-old-name.md";
const record = "# 0010 Suites\n\n2026-11-16, amended 2026-11-18 · holds\n\nText.\n";

test("a decision record with title, date, status and a row in the index has no problems", () => {
  expect(findRecordProblems([["0010-suites.md", record]], index)).toEqual([]);
});

test("a decision record without its number, status or row is named with what it lacks", () => {
  expect(findRecordProblems([["0010-suites.md", "# Suites\n\nText.\n"]], index)).toEqual([
    '0010-suites.md: the title must begin with "# 0010 "',
    '0010-suites.md: the third line must be "YYYY-MM-DD · holds"',
    '0010-suites.md: the index calls it "0010 Suites"',
  ]);
  expect(findRecordProblems([["0013-new.md", "# 0013 New\n\n2026-11-18 · holds\n"]], index)).toEqual([
    "0013-new.md: has no row in docs/decisions/README.md",
  ]);
});

test("a date in the index that differs from that of the decision record is a problem", () => {
  const later = record.replace("2026-11-16", "2026-11-17");
  expect(findRecordProblems([["0010-suites.md", later]], index)).toEqual([
    "0010-suites.md: the index has the date 2026-11-16",
  ]);
});

test("a decision record with two rows in the index is named", () => {
  const row = index.split("\n").find((line) => line.startsWith("| [0010"));
  expect(findRecordProblems([[FILE, record]], index.replace(row ?? "", `${row}\n${row}`))).toEqual([
    "0010-suites.md: has two rows in docs/decisions/README.md",
  ]);
});

test("the number of a decision is used by one record only, and not again after it ended", () => {
  const ended = "# 0011 Again\n\n2026-11-18 · holds\n";
  const problems = findRecordProblems(
    [
      ["0010-suites.md", record],
      ["0010-other.md", record],
      ["0011-again.md", ended],
    ],
    index,
  );
  expect(problems).toContain("0010: two records have this number");
  expect(problems).toContain("0011: is a record and has ended");
});

test("a mention of a decision is valid when its record exists or its number has ended", () => {
  const texts = [["a.ts", `// decision 0010, decision 0012, docs/decisions/${FILE}`]] as const;
  expect(findMentionProblems(texts, ["0010-suites.md"], index)).toEqual([]);
  const wrong = [["b.md", `[0014](decisions/${OLD_FILE}) and mode 0600`]] as const;
  expect(findMentionProblems(wrong, ["0010-suites.md"], index)).toEqual([
    "b.md: there is no decision 0014",
    "b.md: there is no record 0010-old-name.md",
  ]);
});
