import fc from "fast-check";
import { expect, test } from "vitest";
import { createPastes } from "./pastes.ts";

const lines = (count: number, text = "line"): string => Array.from({ length: count }, () => text).join("\n");

test("a paste over a few lines or a very long one stands as one character with a label", () => {
  const pastes = createPastes();
  const long = pastes.fold(lines(812));
  expect(long).toHaveLength(1);
  expect(pastes.shown(long)).toBe("[pasted 812 lines]");
  expect(pastes.fold(lines(812))).toBe(long);
  expect(pastes.shown(pastes.fold("x".repeat(200_000)))).toBe("[pasted 200,000 characters]");
  expect(pastes.fold(lines(4))).toBe(lines(4));
  expect(pastes.shown("x")).toBeUndefined();
  expect(pastes.describe(`see ${long}, ${pastes.fold("@x")}`)).toBe("see [pasted 812 lines], @x");
});

test("what was pasted is sent whole, and told apart from what was typed", () => {
  const pastes = createPastes();
  const text = lines(9, "@a.md");
  const input = `@typed ${pastes.fold("see @b.md")} ${pastes.fold(text)} end`;
  const sent = pastes.unfold(input);
  expect(sent.text).toBe(`@typed see @b.md ${text} end`);
  expect(sent.pasted.map(({ start, end }) => sent.text.slice(start, end))).toEqual(["@", text]);
  expect(pastes.restore(sent)).toBe(input);
});

test("whatever is typed and pasted in turn is sent as it was, and can be brought back", () => {
  const part = fc.record({
    isPasted: fc.boolean(),
    text: fc.string({ unit: "binary", maxLength: 40 }),
    lines: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const pastes = createPastes();
      const written = parts.map((one) => ({ ...one, text: `${one.text}${"\n@x".repeat(one.lines)}` }));
      const input = written.map((one) => (one.isPasted ? pastes.fold(one.text) : one.text)).join("");
      const sent = pastes.unfold(input);
      expect(sent.text).toBe(written.map(({ text }) => text).join(""));
      const isPlain = (at: number): boolean => sent.pasted.some(({ start, end }) => start <= at && at < end);
      let at = 0;
      for (const { isPasted, text } of written)
        for (const character of text.split("")) {
          if (character === "@") expect(isPlain(at)).toBe(isPasted);
          at++;
        }
      expect(createPastes().unfold(createPastes().restore(sent)).text.length).toBeLessThanOrEqual(sent.text.length);
      const later = createPastes();
      expect(later.unfold(later.restore(sent))).toEqual(sent);
    }),
  );
});

test("after an editor, pastes that are still there are pastes, and what was pasted stays plain", () => {
  const pastes = createPastes();
  const kept = lines(9, "@kept");
  const changed = lines(9, "@changed now");
  const input = `a ${pastes.fold(kept)} b ${pastes.fold(changed)} ${pastes.fold("@short")} @typed`;
  const edited = `first ${kept} then ${changed.slice(4)} @short @typed @new`;
  const again = pastes.refold(edited, input);
  const { text, pasted } = pastes.unfold(again);
  expect(text).toBe(edited);
  const isPlain = (word: string): boolean =>
    pasted.some(({ start, end }) => start <= text.indexOf(word) && text.indexOf(word) < end);
  expect(["@kept", "@changed", "@short", "@typed", "@new"].map(isPlain)).toEqual([true, true, true, false, false]);
});
