import fc from "fast-check";
import { expect, test } from "vitest";
import { joinWords, offeredArguments } from "./split-words.ts";

const TEXT = { name: "text", description: "The sentence", words: true };
const claude = { name: "claude-code", version: "2" };

test("only a client that splits what is typed is offered an argument for each word", () => {
  expect(offeredArguments([TEXT, { name: "other" }], { name: "zed", version: "1" })).toEqual([
    { name: "text", description: "The sentence" },
    { name: "other" },
  ]);
  expect(offeredArguments([TEXT], undefined)).toHaveLength(1);
  expect(offeredArguments([TEXT], claude)).toHaveLength(60);
  expect(offeredArguments([{ name: "other" }], claude)).toEqual([{ name: "other" }]);
});

test("a sentence that is given word by word comes back whole, in any order", () => {
  const sentence = fc.array(fc.stringMatching(/^[a-z.,"]{1,8}$/), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sentence, fc.boolean(), (words, turned) => {
      const given = words.map((word, index) => [offeredArguments([TEXT], claude)[index]?.name ?? "", word] as const);
      const values = Object.fromEntries(turned ? given.toReversed() : given);
      expect(joinWords(values)).toEqual({ text: words.join(" ") });
    }),
  );
});

test("arguments of a prompt that is no sentence stay as they are", () => {
  expect(joinWords({ address: "a b", text: "x" })).toEqual({ address: "a b", text: "x" });
});
