import { expect, test } from "vitest";
import { IkigaiError, messageOf, withHint } from "./errors.ts";

test("an error is recognised by its brand, also when it comes from another copy of core", () => {
  const foreign = Object.assign(new Error("elsewhere"), { code: "conflict" });
  Object.defineProperty(foreign, Symbol.for("ikigai.error"), { value: true });
  expect(foreign).not.toBeInstanceOf(IkigaiError);
  expect(IkigaiError.is(foreign)).toBe(true);
  expect(IkigaiError.is(foreign, "conflict")).toBe(true);
  expect(IkigaiError.is(foreign, "not_found")).toBe(false);
});

test("a value without the brand is not taken for an IkigaiError", () => {
  for (const value of [new Error("plain"), { code: "conflict" }, null, undefined, "conflict"]) {
    expect(IkigaiError.is(value)).toBe(false);
  }
});

test("an error keeps its hint, its details and its cause", () => {
  const cause = new Error("disk");
  const error = new IkigaiError("ambiguous", "two match", { hint: "Choose.", details: { candidates: ["a"] }, cause });
  expect(error).toMatchObject({ name: "IkigaiError", code: "ambiguous", hint: "Choose.", cause });
  expect(error.details).toEqual({ candidates: ["a"] });
  expect("cause" in new IkigaiError("internal", "no cause")).toBe(false);
});

test("messageOf gives a message for any thrown value", () => {
  expect(messageOf(new Error("said"))).toBe("said");
  expect(messageOf("bare text")).toBe("bare text");
  expect(messageOf(undefined)).toBe("undefined");
});

test("a message and its hint are sentences, whatever ends the message", () => {
  expect(withHint("It failed", "Try again.")).toBe("It failed. Try again.");
  expect(withHint("Was it there?", "Look.")).toBe("Was it there? Look.");
  expect(withHint("It failed", undefined)).toBe("It failed");
});
