import { describe, expect, test } from "vitest";
import { absent, createPlanner, oncePerInput, refusing } from "./planner.ts";

describe("a planner", () => {
  const made: string[] = [];
  const planner = createPlanner(async ({ name }: { name: string }) => {
    made.push(name);
    return { effects: [{ action: "update" as const, target: name }], work: () => `${name} ${made.length}` };
  });

  test("runs the plan that was declared, looks at it without using it up, and plans anew for a call without one", async () => {
    const input = { name: "a" };
    expect(await planner.effects(input, undefined)).toEqual([{ action: "update", target: "a" }]);
    expect(await planner.peek(input, undefined)).toBe("a 1");
    expect(await planner.work(input, undefined)).toBe("a 1");
    expect(made).toEqual(["a"]);
    expect(await planner.work(input, undefined)).toBe("a 2");
    expect(await planner.peek({ name: "b" }, undefined)).toBe("b 3");
  });

  test("of a call that will refuse, or whose text is absent, only reads", () => {
    const refused = refusing("file:///a", new Error("no"), "file:///b");
    expect(refused.effects).toEqual([
      { action: "read", target: "file:///a" },
      { action: "read", target: "file:///b" },
    ]);
    expect(refused.work).toThrow("no");
    const missing = absent("file:///a", "nothing");
    expect([missing.effects, missing.work()]).toEqual([[{ action: "read", target: "file:///a" }], "nothing"]);
  });
});

test("what an input means is found once, also when it cannot be found", async () => {
  let looks = 0;
  const find = oncePerInput(async (input) => {
    looks += 1;
    if (!("name" in input)) throw new Error("no name");
    return looks;
  });
  const input = { name: "a" };
  expect([await find(input), await find(input), await find({ name: "a" })]).toEqual([1, 1, 2]);
  const bad = {};
  await expect(find(bad)).rejects.toThrow("no name");
  await expect(find(bad)).rejects.toThrow("no name");
  expect(looks).toBe(3);
});
