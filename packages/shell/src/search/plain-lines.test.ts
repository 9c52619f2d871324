import { expect, test } from "vitest";
import { createPlainLines } from "./plain-lines.ts";

interface Read {
  readonly path: string;
  readonly line: number;
  readonly isMatch: boolean;
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
  expect(read("./a\x0011-x\n./a\x0012\x003\x00a:b-c\r\n\x00\n./b\x001\x001\x00\n")).toEqual([
    { path: "./a", line: 11, isMatch: false, text: "x" },
    { path: "./a", line: 12, isMatch: true, text: "a:b-c" },
    { path: "./b", line: 1, isMatch: true, text: "" },
  ]);
});

test("digits and colons in a matching line belong to its text", () => {
  expect(read("./a\x001\x001\x002:3:4\n./a\x002-3-4\n")).toMatchObject([{ text: "2:3:4" }, { text: "3-4" }]);
});

test("a match without a place is the empty end of its text", () => {
  expect(read("./a\x002\x0012:30 lunch\n./b\x001\x0099\n")).toEqual([
    { path: "./a", line: 2, isMatch: true, text: "12:30 lunch" },
    { path: "./b", line: 1, isMatch: true, text: "99" },
  ]);
});

test("a path with line breaks is one path", () => {
  expect(read("./a\nb\n./c\x001\x001\x00x\n./d\x001\x001\x00y\n./e\n--\nf\x001\x001\x00z\n")).toMatchObject([
    { path: "./a\nb\n./c", text: "x" },
    { path: "./d", text: "y" },
    { path: "./e\n--\nf", text: "z" },
  ]);
});

test("ripgrep's notice of a binary file is no part of a path, and a path that looks like the notice is a path", () => {
  const notice = 'WARNING: stopped searching binary file after match (found "\\0" byte around offset 7)\n';
  expect(read(`./a\x001\x001\x00x\n./a: ${notice}./b\x001\x001\x00y\n`)).toMatchObject([
    { path: "./a" },
    { path: "./b" },
  ]);
  expect(read(`./a: ${notice}./b\nc\x001\x001\x00y\n`)).toMatchObject([{ path: "./b\nc" }]);
  expect(read(`./odd: ${notice}q.txt\x001\x001\x00y\n`)).toMatchObject([{ path: `./odd: ${notice}q.txt` }]);
});
