import { expect, test } from "vitest";
import { bashText } from "./bash-text.ts";

test("the text of bash is the command's output, then one line with how it ended", () => {
  expect(bashText({ output: "a\tb\n", exit_code: 3 })).toBe("a\tb\n[exit code 3]");
  expect(bashText({ output: "a", exit_code: 137, signal: "SIGKILL" })).toBe("a\n[exit code 137; ended by SIGKILL]");
  expect(bashText({ output: "", job: "7", log: "job-7" })).toBe(
    "[job 7 runs in the background; its output is kept in the block job-7]",
  );
  const kept = { path: "/k/out", bytes: 9, total_bytes: 99 };
  expect(bashText({ output: "", exit_code: 0, still_running: 2, kept })).toBe(
    "[exit code 0; 2 processes still run; the whole output, 99 bytes, is in /k/out]",
  );
});

test("the text of bash tells what became of each address, with the reason why one was not written", () => {
  const addresses = [
    { uri: "ikigai:///a", change: "updated", version: "2" },
    { uri: "ikigai:///b", change: "left_aside", path: "/k/b", code: "conflict", error: "It changed" },
    { uri: "ikigai:///c", change: "left_aside", code: "conflict", error: "It is gone" },
  ];
  expect(bashText({ output: "", exit_code: 0, addresses })).toBe(
    "[exit code 0; updated ikigai:///a; ikigai:///b was not written: It changed (conflict), its text is kept in /k/b; " +
      "ikigai:///c was not written: It is gone (conflict)]",
  );
  expect(bashText({})).toBe("[]");
});
