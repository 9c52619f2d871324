import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyserOf, createAnalyser } from "./analyse.ts";
import { fold } from "./fold.ts";
import { createLanguage } from "./languages.ts";
import { tokenise } from "./tokenise.ts";

const texts = (text: string): string[] => [...tokenise(text)].map((token) => token.text);
const terms = (text: string): string[] => [...createAnalyser().analyse(text).terms.keys()];

describe("tokenise", () => {
  test("a text gives the same tokens whatever stands around it", () => {
    const piece = fc.constantFrom(
      ..."a B z 0 9 ' _ . / \\\\ : @ # - + don't readFile HTTPServer2 Ran v2x".split(" "),
      " ",
      "\n",
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (ascii) => {
        expect([...tokenise(`東 ${ascii}`)].slice(1)).toEqual([...tokenise(ascii)]);
      }),
    );
  });

  test.each([
    ["Hello, world!", ["hello", "world"]],
    ["parseConfigFile", ["parseconfigfile", "parse", "config", "file"]],
    ["HTTPServer", ["httpserver", "http", "server"]],
    ["load_settings", ["load_settings", "load", "settings"]],
    ["src/main.c", ["src/main.c", "src", "main", "c"]],
    ["utf8 v2 iPhone", ["utf8", "v2", "iphone"]],
    ["C++ and C#", ["c++", "c", "and", "c#", "c"]],
    ["東京都", ["東京", "京都", "東", "京", "都"]],
    ["鯨", ["鯨"]],
    ["iPhoneを買う", ["iphone", "を買", "買う", "買"]],
    ["Anna’s café", ["anna's", "cafe"]],
    ["party 🎉🇳🇴", ["party", "🎉", "🇳🇴"]],
    ["Straße ØRE", ["strasse", "ore"]],
    ["end. Next", ["end", "next"]],
    ["(( !!! ''", []],
  ])("%s", (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  test("a token is never longer than 64 characters, however long the word", () => {
    expect(texts("x".repeat(100_000)).every((text) => text.length <= 64)).toBe(true);
    expect(texts("𝒳".repeat(80)).every((text) => text.isWellFormed())).toBe(true);
  });

  test("any text gives well-formed, folded, short tokens", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const token of tokenise(text)) {
          expect(token.text).not.toBe("");
          expect(token.text.length).toBeLessThanOrEqual(64);
          expect(token.text.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  test("words found alone are found between spaces too", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        expect(texts(words.join(" "))).toEqual(words);
      }),
    );
  });
});

test("folding twice changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(fold(fold(text))).toBe(fold(text));
    }),
    { numRuns: 1_000 },
  );
});

describe("analyse", () => {
  test("stop words are left out and endings removed", () => {
    expect(terms("She was running with the dogs and it's Anna's")).toEqual(["run", "dog", "anna"]);
  });

  test("a name repeated as a whole does not make the text longer", () => {
    const { length, terms: found } = createAnalyser().analyse("parseConfigFile");
    expect([length, found.size]).toEqual([3, 4]);
  });

  test("languages are chosen, several at once too", () => {
    const analyser = createAnalyser({ languages: ["german", "english"] });
    expect([...analyser.analyse("die Häuser").terms.keys()]).toEqual([...analyser.analyse("Haus").terms.keys()]);
    expect([
      ...createAnalyser({ languages: ["none"] })
        .analyse("the dogs")
        .terms.keys(),
    ]).toEqual(["the", "dogs"]);
    expect([...createAnalyser({ languages: [] }).analyse("the dogs").terms.keys()]).toEqual(["the", "dogs"]);
    expect(createAnalyser({ languages: ["finnish"] }).analyse("talossa").length).toBe(1);
  });

  test("an unknown language is refused, naming the known ones", () => {
    expect(() => createAnalyser({ languages: ["klingon"] })).toThrow('"klingon" is not a language');
  });

  test("an id gives the same analyser back", () => {
    for (const languages of [["english"], ["german", "english"], []]) {
      const { id } = createAnalyser({ languages });
      expect(analyserOf(id).id).toBe(id);
    }
  });

  test("the memory of stems stays bounded", () => {
    const english = createLanguage("english");
    for (let i = 0; i < 20_001; i++) english.stem(`w${i}s`);
    expect(english.stem("dogs")).toBe("dog");
  });
});
