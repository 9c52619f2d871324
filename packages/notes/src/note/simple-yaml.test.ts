import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSimpleYaml } from "./simple-yaml.ts";

const scalar = fc.constantFrom(
  "word",
  "two words",
  "true",
  "False",
  "null",
  "~",
  "12",
  "-3",
  "0.5",
  "1e3",
  "0x1f",
  "0o7",
  "007",
  "1_000",
  ".inf",
  ".nan",
  "2024-01-02",
  "2024-01-02T10:00:00",
  "12:30",
  '"quoted"',
  "'single'",
  '"a\\nb"',
  "'it''s'",
  "a: b",
  "a #b",
  "a#b",
  "#c",
  "- x",
  "[a, b]",
  "[a, [b]]",
  "[]",
  "[a,]",
  "{a: 1}",
  "&x y",
  "*x",
  "!!str 1",
  "| ",
  ">",
  "@a",
  "%b",
  "`c`",
  "?",
  "0qln",
  "1.2.3",
  "é",
  "标签",
  "🚀",
  "a\tb",
  "yes",
  "On",
  "=",
  "<<",
  "'[[Link]]'",
  '"[[Link|x]]"',
  "[[a]]",
  "http://x.y/z",
  "(x)",
  "x:",
  "5 apples",
  "e5",
  "1a",
  "--- ",
  "...",
);
const key = fc.constantFrom(
  "a",
  "b",
  "title",
  "two words",
  "__proto__",
  "null",
  "true",
  "x-y",
  "1",
  "é",
  "'q'",
  "a.b",
  "<<",
);
const line = fc.oneof(
  fc.tuple(key, scalar).map(([one, value]) => `${one}: ${value}`),
  key.map((one) => `${one}:`),
  scalar.map((value) => `- ${value}`),
  scalar.map((value) => `  - ${value}`),
  fc.constantFrom("", "  ", "# comment", "  continued", "-", "  -"),
);

test("the simple YAML reader gives what the full parser gives", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n"), (lines, ending) => {
      const yaml = lines.map((one) => one + ending).join("");
      const simple = readSimpleYaml(yaml);
      if (simple === undefined) return;
      const whole = parse(yaml) as Record<string, unknown> | null;
      expect(JSON.stringify(simple)).toBe(JSON.stringify(whole ?? {}));
    }),
    { numRuns: 5_000 },
  );
});

test("the simple YAML reader understands ordinary front matter", () => {
  const yaml =
    'title: My Note\ntags: [a, b/c]\naliases:\n  - One\n  - "Two: x"\n  -\nrating: 4\ndone: false\nup: "[[Home]]"\nempty:\n';
  expect({ ...readSimpleYaml(yaml) }).toEqual({
    title: "My Note",
    tags: ["a", "b/c"],
    aliases: ["One", "Two: x", null],
    rating: 4,
    done: false,
    up: "[[Home]]",
    empty: null,
  });
});
