import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeadline } from "./deadline.ts";

const NEVER = new Promise<never>(() => {});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("work that is done in time settles as it is", async () => {
  using deadline = createDeadline("work", 100, new AbortController().signal);
  await expect(deadline.race(Promise.resolve(1))).resolves.toBe(1);
  await expect(deadline.race(Promise.reject(new Error("own fault")))).rejects.toThrow("own fault");
  expect(deadline.signal.aborted).toBe(false);
});

test("work that ignores the limit is left, and told", async () => {
  using deadline = createDeadline("work", 100, new AbortController().signal);
  const race = deadline.race(NEVER);
  vi.advanceTimersByTime(100);
  await expect(race).rejects.toMatchObject({ code: "timeout", message: "work did not finish within 100 ms" });
  expect(deadline.signal.reason).toMatchObject({ code: "timeout" });
});

test("a caller that gives up aborts, also when it already had", async () => {
  const caller = new AbortController();
  using deadline = createDeadline("work", 100, caller.signal);
  caller.abort();
  await expect(deadline.race(NEVER)).rejects.toMatchObject({ code: "aborted" });
  using late = createDeadline("work", 100, caller.signal);
  expect(late.signal.aborted).toBe(true);
  await expect(late.race(NEVER)).rejects.toMatchObject({ code: "aborted" });
});

test("the time a person takes to answer is not counted, however often and however many at once", async () => {
  using deadline = createDeadline("work", 100, new AbortController().signal);
  const [first, second] = [question(), question()];
  vi.advanceTimersByTime(60);
  const waits = [deadline.suspend(first.asked), deadline.suspend(second.asked)];
  vi.advanceTimersByTime(10_000);
  first.answer("yes");
  await waits[0];
  vi.advanceTimersByTime(10_000);
  second.answer("yes");
  await expect(Promise.all(waits)).resolves.toEqual(["yes", "yes"]);
  vi.advanceTimersByTime(39);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(2);
  expect(deadline.signal.aborted).toBe(true);
});

test("an answer after the end starts no clock that would keep the process alive", async () => {
  const caller = new AbortController();
  const deadline = createDeadline("work", 100, caller.signal);
  const { asked, answer } = question();
  const wait = deadline.suspend(asked);
  deadline[Symbol.dispose]();
  answer("late");
  await wait;
  expect(vi.getTimerCount()).toBe(0);
  caller.abort();
  expect(deadline.signal.aborted).toBe(false);
});

test("a limit that no timer can hold is as good as none", () => {
  using deadline = createDeadline("work", Infinity, new AbortController().signal);
  vi.advanceTimersByTime(1_000_000);
  expect(deadline.signal.aborted).toBe(false);
});

function question(): { readonly asked: Promise<string>; readonly answer: (text: string) => void } {
  let answer: (text: string) => void = () => {};
  const asked = new Promise<string>((resolve) => (answer = resolve));
  return { asked, answer };
}
