import { expect, test } from "vitest";
import { createPlainLines } from "./plain-lines.ts";

interface Read {
  readonly path: string;
  readonly line: number;
  readonly isMatch: boolean;
  readonly at: number;
  readonly text: string;
}

function read(output: string): Read[] {
  const found: Read[] = [];
  let path = "";
  const take = createPlainLines({
    onFile: (file) => void (path = file),
    onLine: (_, line) => void found.push({ path, ...line() }),
  });
  for (const piece of output.split("\n").slice(0, -1)) take(Buffer.from(piece));
  return found;
}

test("lines that match and lines around them are told apart", () => {
  expect(read("./a\x0011-x\n./a\x0012:3:a:b-c\r\n--\n./b\x001:1:\n")).toEqual([
    { path: "./a", line: 11, isMatch: false, at: 0, text: "x" },
    { path: "./a", line: 12, isMatch: true, at: 2, text: "a:b-c" },
    { path: "./b", line: 1, isMatch: true, at: 0, text: "" },
  ]);
});

test("digits and marks in the text belong to the text", () => {
  expect(read("./a\x001:1:2:3:4\n./a\x002-3-4\n")).toMatchObject([{ text: "2:3:4" }, { text: "3-4" }]);
});

test("a path with line breaks is one path", () => {
  expect(read("./a\nb\n./c\x001:1:x\n./d\x001:1:y\n")).toMatchObject([
    { path: "./a\nb\n./c", text: "x" },
    { path: "./d", text: "y" },
  ]);
});

test("what ripgrep says of a binary file is no part of a path", () => {
  const notice = './a: WARNING: stopped searching binary file after match (found "\\0" byte around offset 7)\n';
  expect(read(`./a\x001:1:x\n${notice}./b\x001:1:y\n`)).toMatchObject([{ path: "./a" }, { path: "./b" }]);
});
