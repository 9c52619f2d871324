import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findAddressWords, quoteWord } from "./command-addresses.ts";

const addressesOf = (command: string): string[] => findAddressWords(command).map(({ address }) => address);

test.each([
  ["wc -w ikigai:///blocks/a.md", ["ikigai:///blocks/a.md"]],
  ["cp note:///x.md src/ && cat note:///y.md|wc", ["note:///x.md", "note:///y.md"]],
  [
    "cat 'note:///my file.md' \"note:///b c.md\" note:///d\\ e.md",
    ["note:///my file.md", "note:///b c.md", "note:///d e.md"],
  ],
  ["dd if=note:///x --out=note:///y X=note:///z", ["note:///x", "note:///y", "note:///z"]],
  ["cat <note:///in >>note:///out 2>note:///err", ["note:///in", "note:///out", "note:///err"]],
  ["(cat note:///x); { cat note:///y; }", ["note:///x", "note:///y"]],
  ['echo "$(cat note:///x) $(echo $(cat note:///y))"', ["note:///x", "note:///y"]],
  ["echo `cat note:///x`", ["note:///x"]],
  ["cat <<EOF >note:///out\nsee note:///body\nEOF\ncat note:///x", ["note:///out", "note:///x"]],
  ["cat <<-'END X' ; cat note:///a\nnote:///body\n\tEND X\ncat note:///x", ["note:///a", "note:///x"]],
  ["cat <<< note:///x", ["note:///x"]],
  ["ls # note:///comment\ncat note:///x", ["note:///x"]],
  ["cat a#note:///x", []],
  ["echo see=note", []],
  ["bash -c 'cat note:///x'", []],
  ['cat "note:///$name" note:///* note:///{a,b} ${X:-note:///x}', []],
  ['cat "note:///`id`"', []],
  ['cat "note:///a\\"b"', ['note:///a"b']],
  ["cat note:///", []],
  ["cat <<", []],
  ["cat note:///x 'open", ["note:///x"]],
  ['cat note:///x "open $(', ["note:///x"]],
  ["cat note:///x \\", ["note:///x"]],
])("finds the addresses of %j", (command, addresses) => {
  expect(addressesOf(command)).toEqual(addresses);
});

test("nesting of any depth is read to its end", () => {
  expect(addressesOf(`${"$(".repeat(50_000)} cat :///`)).toEqual([]);
  expect(addressesOf(`${"(".repeat(50_000)} cat note:///x ${")".repeat(50_000)}`)).toEqual(["note:///x"]);
});

test("a span covers the whole word, in any text", () => {
  const piece = fc.constantFrom(
    "note:///a",
    " ",
    "'",
    '"',
    "$(",
    ")",
    "`",
    "\\",
    "\n",
    "<<E",
    "#",
    "x=",
    ";",
    "${",
    "}",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const command = pieces.join("");
      for (const { prefix, address, start, end } of findAddressWords(command)) {
        const word = command.slice(start, end).replaceAll(/['"\\]/g, "");
        expect(word).toBe(`${prefix}${address}`.replaceAll(/['"\\]/g, ""));
      }
    }),
  );
});

test("a quoted word means itself to a shell", () => {
  const words = fc.sample(
    fc.string({ unit: "binary" }).map((word) => word.replaceAll("\0", "").toWellFormed()),
    200,
  );
  const { stdout } = spawnSync("/bin/sh", ["-c", `printf '%s\\0' ${words.map(quoteWord).join(" ")}`], {
    encoding: "utf8",
  });
  expect(stdout.split("\0").slice(0, -1)).toEqual(words);
});
