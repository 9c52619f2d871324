import { expect, test } from "vitest";
import { z } from "zod";
import { describeIssues } from "./schema.ts";

test("the error for wrong input names the field of each issue", async () => {
  const schema = z.object({ a: z.object({ b: z.number() }), c: z.string() });
  const checked = await schema["~standard"].validate({ a: { b: "x" } });
  expect(describeIssues(checked.issues ?? [])).toMatch(/^a\.b: .+; c: .+$/);
});

test("path parts may be keys or objects that hold one, or missing", () => {
  const issues = [
    { message: "one", path: [{ key: "list" }, 0] },
    { message: "two", path: [] },
    { message: "three" },
    { message: "four", path: [Symbol("s")] },
  ];
  expect(describeIssues(issues)).toBe("list.0: one; two; three; Symbol(s): four");
});
