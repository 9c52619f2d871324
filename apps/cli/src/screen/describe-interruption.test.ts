import type { Message } from "@ikigai/agent";
import { expect, test } from "vitest";
import { describeInterruption } from "./describe-interruption.ts";

const stored = (id: string) => ({ id, at: new Date(0).toISOString() });
const question: Message = { ...stored("1"), role: "user", text: "go" };
const asks: Message = {
  ...stored("2"),
  role: "assistant",
  text: "",
  calls: ["a", "b"].map((id) => ({ id, name: "file_write", arguments: `{"path":"${id}\\u001b.txt"}` })),
};
const result = (callId: string): Message => ({
  ...stored(callId),
  role: "tool",
  callId,
  name: "file_write",
  envelope: "{}",
});
const answer: Message = { ...stored("9"), role: "assistant", text: "done", calls: [] };

test("a conversation that ended well, or never began, has nothing to tell", () => {
  expect(describeInterruption([])).toBeUndefined();
  expect(describeInterruption([question, answer])).toBeUndefined();
  expect(describeInterruption([question, asks, result("a"), result("b"), answer])).toBeUndefined();
});

test("a question without an answer, calls without results and results without an answer are told apart", () => {
  expect(describeInterruption([question])).toContain("was not answered");
  expect(describeInterruption([{ ...question, role: "event" }])).toContain("was not answered");
  expect(describeInterruption([question, asks, result("a")])).toMatch(
    /Interrupted: file_write b\\u001b\.txt\. Whether it ran .* it has no result/,
  );
  expect(describeInterruption([question, asks])).toMatch(/a\\u001b\.txt, file_write b.* they have no result/);
  expect(describeInterruption([question, asks, result("a"), result("b")])).toContain("stopped after file_write");
});

test("a turn that a tool may end has ended well", () => {
  expect(describeInterruption([question, asks, result("a"), result("b")], ["file_write"])).toBeUndefined();
});
