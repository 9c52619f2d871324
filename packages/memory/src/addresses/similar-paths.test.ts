import fc from "fast-check";
import { expect, test } from "vitest";
import { similarPaths } from "./similar-paths.ts";

const PATHS = ["src/main.ts", "src/index.ts", "docs/guide.md", "docs/README.md", "lib/util/strings.ts", "a.md"];

test.each([
  ["src/mian.ts", ["src/main.ts"]],
  ["src/main.js", ["src/main.ts"]],
  ["main.ts", ["src/main.ts"]],
  ["readme.md", ["docs/README.md"]],
  ["docs/readme", ["docs/README.md"]],
  ["util/string.ts", ["lib/util/strings.ts"]],
  ["docs/guides.md", ["docs/guide.md"]],
  ["SRC/MAIN.TS", ["src/main.ts"]],
  ["other/guide.txt", ["docs/guide.md"]],
  ["lib/util/.strings", []],
  ["src/indxe.ts", ["src/index.ts"]],
  ["b.md", []],
  ["nothing/like/it.py", []],
])("for %s it suggests %j", (wanted, suggested) => {
  expect(similarPaths(wanted, PATHS)).toEqual(suggested);
});

test("a name with one letter too many, too few or wrong is found among others", () => {
  const name = fc.stringMatching(/^[a-z]{6,12}$/);
  fc.assert(
    fc.property(name, fc.nat(11), fc.constantFrom("", "q", "qq"), (known, at, instead) => {
      const place = at % known.length;
      const wrong = `${known.slice(0, place)}${instead}${known.slice(place + 1)}`;
      expect(similarPaths(`x/${wrong}.md`, [`x/${known}.md`, "0123456789012345.md"])).toEqual([`x/${known}.md`]);
    }),
  );
});

test("at most three are suggested, the nearest first", () => {
  const many = ["z/plan.md", "a/plan.md", "b/plan.md", "c/plan.md", "d/plan.txt"];
  expect(similarPaths("plan.md", many)).toEqual(["a/plan.md", "b/plan.md", "c/plan.md"]);
});
