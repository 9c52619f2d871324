import { testEngines } from "@ikigai/database/testing";
import { array, assert, asyncProperty, constantFrom, integer, record } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { expectBudgetHolds, openMemory } from "../testing/spend.test.helper.ts";

const ana = { agent: "ana" };

describe.each(testEngines())("a budget on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test.each(["write", "edit", "pin"] as const)("holds against four processes that %s at once", async (task) => {
    await expectBudgetHolds(engine, task, 20);
  });

  test("refuses with the seed's sentence, and lists what can be freed", async () => {
    const { store, pin, database } = await openMemory(engine);
    await store.write("blocks/a.md", "60000", ana);
    await store.write("blocks/b.md", "35000", ana);
    await pin("ana", "blocks/a.md");
    await pin("ana", "blocks/b.md");
    await expect(store.write("blocks/large-doc.md", "80000", ana)).rejects.toMatchObject({
      code: "over_budget",
      message:
        "Block budget exceeded: 95000/100000 tokens. This write would use 80000 tokens. Use /compact or /unpin to free space.",
      hint: "Unpin or shorten one of these: ikigai:///blocks/a.md frees 60000 tokens; ikigai:///blocks/b.md frees 35000 tokens.",
      details: { total: 95_000, limit: 100_000, cost: 80_000 },
    });
    await expect(store.write("blocks/huge.md", "100001", ana)).rejects.toMatchObject({
      code: "over_budget",
      hint: "Shorten the text: 100001 tokens are more than the whole budget, so unpinning others cannot make room.",
    });
    expect((await database.query("select from asset")).count).toBe(2);
    expect((await database.query("select from journal")).count).toBe(2);
  });

  test("refuses a pin that does not fit with its numbers, and takes one that fits exactly", async () => {
    const { store, pin, budget } = await openMemory(engine, 100);
    for (const [path, size] of Object.entries({ "a.md": "60", "b.md": "41", "c.md": "40" }))
      await store.write(path, size, ana);
    await pin("ana", "a.md");
    await expect(pin("ana", "b.md")).rejects.toMatchObject({
      code: "over_budget",
      details: { total: 60, limit: 100, cost: 41 },
    });
    expect(await budget.status("ana")).toMatchObject({ pinned: 60, pins: [{ uri: "ikigai:///a.md" }] });
    await pin("ana", "c.md");
    expect((await budget.status("ana")).pinned).toBe(100);
  });

  test("counts only the new size of a pinned asset, and nothing of one that is not pinned", async () => {
    const { store, pin, budget } = await openMemory(engine);
    await store.write("a.md", "90000", ana);
    await pin("ana", "a.md");
    await store.write("a.md", "99000", ana);
    expect(await budget.status("ana")).toMatchObject({ pinned: 99_000, level: "critical" });
    await store.write("free.md", "1000", ana);
    await expect(store.write("free.md", "1001", ana)).rejects.toMatchObject({ code: "over_budget" });
    expect((await budget.status("ana")).pinned).toBe(99_000);
    await store.write("a.md", "80000", ana);
    expect(await budget.status("ana")).toMatchObject({ pinned: 80_000, level: "warning" });
    await store.remove("a.md", ana);
    expect(await budget.status("ana")).toMatchObject({ pinned: 0, level: "fine", pins: [] });
  });

  test("counts no record of the program's own, unless it is pinned", async () => {
    const { store, pin, budget } = await openMemory(engine);
    await budget.setLimit("ana", 5);
    await store.write("system/renames/1.json", "104", ana);
    await expect(store.write("system.md", "104", ana)).rejects.toMatchObject({ code: "over_budget" });
    await store.write("system/renames/1.json", "3", ana);
    await pin("ana", "system/renames/1.json");
    await expect(store.write("system/renames/1.json", "6", ana)).rejects.toMatchObject({ code: "over_budget" });
  });

  test("lets a pin be taken back, and a limit be set that is not below what is pinned", async () => {
    const { store, pin, budget } = await openMemory(engine);
    await store.write("a.md", "500", ana);
    await expect(pin("ana", "none.md")).rejects.toMatchObject({ code: "not_found" });
    await pin("ana", "a.md");
    await pin("ana", "a.md");
    await expect(budget.setLimit("ana", 499)).rejects.toMatchObject({ code: "over_budget" });
    await expect(budget.setLimit("ana", -1)).rejects.toMatchObject({ code: "invalid_input" });
    await budget.setLimit("ana", 600);
    expect(await budget.status("ana")).toMatchObject({ pinned: 500, limit: 600 });
    expect(await budget.unpin("ana", "ikigai:///a.md")).toBe(true);
    expect(await budget.unpin("ana", "ikigai:///a.md")).toBe(false);
    expect(await budget.status("ana")).toMatchObject({ pinned: 0, limit: 600 });
    expect(await budget.status("nobody")).toMatchObject({ pinned: 0, limit: 100_000, level: "fine" });
  });

  test("keeps the version that fits when another agent makes a shared asset too large", async () => {
    const { store, pin, budget } = await openMemory(engine);
    await store.write("plan.md", "400", ana);
    await store.share("ana", "plan.md", "bob", "read_only");
    await pin("bob", "plan.md");
    await budget.setLimit("bob", 500);
    await store.write("plan.md", "450", ana);
    expect((await budget.status("bob")).pins).toMatchObject([{ tokens: 450, version: "2", behind: false }]);
    await store.write("plan.md", "501", ana);
    expect((await budget.status("bob")).pins).toMatchObject([{ tokens: 450, version: "2", behind: true }]);
    await store.write("plan.md", "100", ana);
    expect((await budget.status("bob")).pins).toMatchObject([{ tokens: 100, version: "4", behind: false }]);
  });

  test("names the twenty largest pins, and says so when there is none", async () => {
    const { store, pin } = await openMemory(engine);
    await expect(store.write("huge.md", "100001", ana)).rejects.toMatchObject({ hint: "Shorten the text." });
    for (let number = 1; number <= 21; number += 1) {
      await store.write(`${number}.md`, String(number), ana);
      await pin("ana", `${number}.md`);
    }
    const hint = expect.stringMatching(/ikigai:\/\/\/21.md frees 21 tokens; .*; and 1 smaller ones\.$/);
    await expect(store.write("huge.md", "100000", ana)).rejects.toMatchObject({ hint });
  });

  test("is the sum of its pins after any sequence of changes", async () => {
    const step = record({
      op: constantFrom("write", "pin", "unpin", "remove"),
      path: constantFrom("a", "b", "c"),
      tokens: integer({ min: 0, max: 70 }),
    });
    await assert(
      asyncProperty(array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { store, pin, budget } = await openMemory(engine, 100);
        const run = {
          write: (path: string, tokens: number) => store.write(path, String(tokens), ana),
          pin: (path: string) => pin("ana", path),
          unpin: (path: string) => budget.unpin("ana", `ikigai:///${path}`),
          remove: (path: string) => store.remove(path, ana),
        };
        for (const { op, path, tokens } of steps) {
          const error = await run[op](path, tokens).then(
            () => undefined,
            (thrown: unknown) => thrown as { code: string },
          );
          if (error !== undefined) expect(["over_budget", "not_found"]).toContain(error.code);
          const { pinned, pins } = await budget.status("ana");
          expect(pinned).toBe(pins.reduce((sum, one) => sum + one.tokens, 0));
          expect(pinned).toBeLessThanOrEqual(100);
          for (const one of pins) {
            const asset = await store.read("ana", one.uri.slice("ikigai:///".length));
            expect(asset).toMatchObject({ tokens: one.tokens, version: one.version });
          }
        }
      }),
      { numRuns: 4 },
    );
  });
});
