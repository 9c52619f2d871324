import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";

function wordsOf(command: string): readonly string[] | string {
  const parsed = parseCommand(command);
  return parsed.understood ? parsed.words : parsed.reason;
}

test.each([
  ["git status", ["git", "status"]],
  ["  echo\thi  ", ["echo", "hi"]],
  [`echo 'a b' "c d" e\\ f`, ["echo", "a b", "c d", "e f"]],
  [`echo a'b'"c"d`, ["echo", "abcd"]],
  [`echo "a\\"b\\$c\\d"`, ["echo", 'a"b$c\\d']],
  [`echo '' ""`, ["echo", "", ""]],
  [`find . \\( -name '*.ts' \\)`, ["find", ".", "(", "-name", "*.ts", ")"]],
  ["echo é日本", ["echo", "é日本"]],
  ["git show HEAD^", ["git", "show", "HEAD^"]],
])("reads the words of %s", (command, words) => {
  expect(wordsOf(command)).toEqual(words);
});

test.each([
  ["", "names no program"],
  ["''", "names no program"],
  ["echo a; ls", '";" has a meaning'],
  ["echo $HOME", '"$" has a meaning'],
  ['echo "$HOME"', "inside quotes"],
  ['echo "`id`"', "inside quotes"],
  ["echo a\nls", "has a meaning"],
  ["echo 'a\nb'", "invisible character (U+000A)"],
  ["echo a\u202Eb", "has a meaning"],
  ["echo 'a\u00A0b'", "invisible character (U+00A0)"],
  ["echo *", '"*" has a meaning'],
  ["echo ~", '"~" has a meaning'],
  ["echo {a,b}", '"{" has a meaning'],
  ["echo 'open", "not closed"],
  ['echo "open', "not closed"],
  ["echo \\", "ends with a backslash"],
  ["A=1 ls", "sets a variable"],
  ["while true", "the shell's language"],
])("does not understand %j", (command, reason) => {
  expect(wordsOf(command)).toContain(reason);
});

test("a command longer than 10,000 characters is not parsed", () => {
  expect(wordsOf(`echo ${"x".repeat(20_000)}`)).toContain("longer than 10000 characters");
});

test("a command that the parser understands means the same words to a real shell", () => {
  const piece = fc.constantFrom(
    ..."aZ09_@%+=:,./^-~#!$`'\"\\|&;<>()[]{}*? \t\n\r".split(""),
    "\u00E9",
    "\u00A0",
    "\\'",
    "$(",
    "''",
    '""',
    "if",
    "=",
  );
  const commands = fc.array(piece, { maxLength: 12 }).map((pieces) => `x${pieces.join("")}`);
  const understood: string[] = [];
  fc.assert(
    fc.property(commands, (command) => {
      if (parseCommand(command).understood) understood.push(command);
    }),
    { numRuns: 4_000 },
  );
  // One shell for all of them: each command's words are printed between NULs, commands are divided by an empty pair.
  const script = understood.map((command) => `printf '%s\\0' ${command}; printf '\\1\\0'`).join("\n");
  const { stdout, stderr } = spawnSync("/bin/bash", ["--norc"], { input: script, encoding: "utf8", env: {}, cwd: "/" });
  expect(stderr).toBe("");
  const seen = stdout
    .split("\u0001\0")
    .slice(0, -1)
    .map((part) => part.split("\0").slice(0, -1));
  expect(seen).toEqual(understood.map(wordsOf));
  expect(understood.length).toBeGreaterThan(200);
});
