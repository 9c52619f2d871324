import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countInPieces } from "./count-in-pieces.ts";
import { countTokens } from "./count-tokens.ts";
import { openTokenCounter } from "./open-token-counter.ts";

const UNBROKEN = /\S{257}|\s{257}/;

describe("tokens of a text", () => {
  test("are counted over every character once, and no tokenizer gets a long run without a break", () => {
    const run = fc.tuple(fc.constantFrom("a", "汉", " ", "\n", "!", "1"), fc.integer({ min: 1, max: 9_000 }));
    const text = fc
      .array(
        fc.oneof(
          fc.string(),
          run.map(([char, times]) => char.repeat(times)),
        ),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (whole) => {
        const pieces: string[] = [];
        const length = countInPieces(whole, (piece) => {
          pieces.push(piece);
          return piece.length;
        });
        expect(pieces.join("")).toBe(whole);
        expect(length).toBe(whole.length);
        expect(pieces.filter((piece) => UNBROKEN.test(piece) || piece.length > 4_000)).toEqual([]);
      }),
    );
  });

  test.each(["plain words", "a".repeat(40_000), "<|endoftext|> is text", `${"汉字".repeat(3_000)} and words`])(
    "are the same for a conversation and for the budget of the store: %#",
    async (text) => {
      const inRequest = await openTokenCounter();
      expect(inRequest(text)).toBe(countTokens(text));
    },
  );

  test("of a name of a control token are those of its characters", () => {
    expect(countTokens("<|endoftext|>")).toBeGreaterThan(1);
  });
});
