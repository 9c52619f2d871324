import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { expect, test } from "vitest";
import { carriesMark, markedCommand, markOf, markTest, newMark, type ProcessMark } from "./process-mark.ts";

const script =
  "console.log(require('fs').readFileSync('/proc/self/limits', 'utf8').match(/file locks +\\S+ +(\\S+)/)[1])";

test("a program carries the mark it was started with, and nothing else of it changes", () => {
  const mark = newMark() as ProcessMark;
  const [file, args] = markedCommand(mark, process.execPath, ["-e", script]);
  expect(execFileSync(file, args, { env: {} }).toString().trim()).toBe(mark);
  const [shown, words] = markedCommand(mark, process.execPath, [
    "-e",
    "console.log(JSON.stringify([process.argv.slice(1), Object.keys(process.env)]))",
    "$HOME",
    "a b",
    "",
    "*",
  ]);
  expect(JSON.parse(execFileSync(shown, words, { env: { ONLY: "1" } }).toString())).toEqual([
    ["$HOME", "a b", "", "*"],
    ["ONLY"],
  ]);
  expect(markedCommand(undefined, "/bin/x", ["y"])).toEqual(["/bin/x", ["y"]]);
});

test("a process tells whether it or one above it was started with a mark", async () => {
  const child = spawn(...markedCommand(newMark(), "/bin/sh", ["-c", "echo up; exec /bin/sleep 60"]), { env: {} });
  await once(child.stdout, "data");
  try {
    expect(carriesMark(child.pid)).toBe(true);
    expect(carriesMark()).toBe(false);
    expect(carriesMark(-1)).toBe(false);
  } finally {
    child.kill("SIGKILL");
  }
});

test("a command inside a command is found by both marks, and three go inside one another", () => {
  const chain = fc.array(fc.constant(undefined), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(chain, (levels) => {
      const marks: ProcessMark[] = [];
      for (const _ of levels)
        marks.push(newMark(marks.length === 0 ? undefined : BigInt(marks.at(-1) as string)) as string);
      const numbers = marks.map(BigInt);
      // Nobody without privileges can raise a limit, so an inner one is never above the outer one.
      expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? 1 : -1)));
      expect(new Set(marks).size).toBe(marks.length);
    }),
  );
  const first = newMark() as ProcessMark;
  const second = newMark(BigInt(first)) as ProcessMark;
  const third = newMark(BigInt(second)) as ProcessMark;
  expect(newMark(BigInt(third))).toBeUndefined();
  expect(newMark(1_024n)).toBeUndefined();
  const child = spawn(...started(third, ["-e", "setInterval(() => {}, 1000); console.log('up')"]));
  return new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => {
      try {
        const pid = child.pid as number;
        expect([first, second, third].map((mark) => markTest([mark])(pid))).toEqual([true, true, true]);
        expect(markTest([newMark() as string, newMark(BigInt(first)) as string])(pid)).toBe(false);
        expect(markTest([])(pid)).toBe(false);
        resolve();
      } catch (error) {
        reject(error);
      } finally {
        child.kill("SIGKILL");
      }
    });
  });
});

test("a process that is gone carries nothing, and where there is no /proc there are no marks", () => {
  expect(markOf(2 ** 22 + 1)).toBeUndefined();
  const platform = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...platform, value: "darwin" });
  try {
    expect(newMark()).toBeUndefined();
  } finally {
    Object.defineProperty(process, "platform", platform);
  }
});

function started(mark: ProcessMark, args: readonly string[]): [string, string[]] {
  const [file, words] = markedCommand(mark, process.execPath, args);
  return [file, [...words]];
}
