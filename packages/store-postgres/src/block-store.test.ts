import type { Actor } from "@ikigai/core";
import { createSourceManager } from "@ikigai/core/host";
import { openDatabase } from "@ikigai/database";
import { testEngines } from "@ikigai/database/testing";
import { type BlockService, type BlockStore, createBlocks, createMemoryBlockStore } from "@ikigai/memory";
import { array, assert, asyncProperty, constantFrom, nat, record } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createBudget, storeMigrations } from "./index.ts";
import { blockUri, createBlockBudget } from "./budget/block-budget.ts";
import { createBlockStore } from "./block-store.ts";

const actor = (agent: string): Actor => ({ agent, conversation: "c", callId: "1", tool: "block_edit" });
const schema = { kind: "text" } as const;
const AT = new Date("2026-02-01T00:00:00.000Z");

function service(store: BlockStore, more: Partial<Parameters<typeof createBlocks>[0]> = {}): BlockService {
  return createBlocks({ sources: createSourceManager(), store, ...more });
}

interface Step {
  readonly op: string;
  /** Owner and label; few, so that steps meet. */
  readonly id: string;
  readonly agent: string;
  readonly number: number;
}

const IDS = ["ana-plan", "ana-notes", "bob-plan"] as const;
const step = record<Step>({
  op: constantFrom("create", "create", "commit", "commit", "compact", "share", "unshare", "view", "origin"),
  id: constantFrom(...IDS),
  agent: constantFrom("ana", "bob"),
  number: nat(4),
});

async function apply(store: BlockStore, { op, id, agent, number }: Step): Promise<unknown> {
  const change = { at: AT, agent, operation: `step ${number}`, frontiers: `f${number}` };
  const bytes = Uint8Array.from([number, 0, 255]);
  const [owner = "", label = ""] = id.split("-");
  const made = { id, owner, label, type: "working", schema, permission: "admin" } as const;
  const origin = number % 2 === 0 ? null : { uri: "file:///a", version: "1", digest: "d", frontiers: "f" };
  const ops: Record<string, () => Promise<unknown>> = {
    create: () => store.create({ record: made, change, snapshot: bytes }),
    commit: () => store.commit({ id, expected: number, set: { type: "log" }, change: { ...change, bytes } }),
    origin: () => store.commit({ id, expected: number, set: { origin } }),
    compact: () => store.compact(id, { revision: number, bytes }),
    share: () => store.share(id, agent, "read_only"),
    unshare: () => store.share(id, agent, undefined),
    view: () => store.setView(agent, id, { pinned: false, viewport: { start_line: number, display_lines: 1 } }),
  };
  return ops[op]?.();
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ value }),
    (error: { code?: string; message: string }) => ({ code: error.code, message: error.message }),
  );
}

/** Blocks of one label come in any order. */
async function listed(store: BlockStore, agent: string): Promise<unknown> {
  const blocks = await store.list(agent);
  expect(blocks.map(({ record: { label } }) => label)).toEqual(blocks.map(({ record: { label } }) => label).toSorted());
  return blocks.toSorted((a, b) => (a.record.id < b.record.id ? -1 : 1));
}

/** Everything that can be read. */
async function readAll(store: BlockStore): Promise<unknown> {
  const questions = [
    ...["ana", "bob"].flatMap((agent) => [listed(store, agent), store.find(agent, "plan"), store.view(agent, IDS[0])]),
    ...IDS.flatMap((id) => [store.load(id), store.history(id, 3), store.updatesAfter(id, 1)]),
    store.listByOrigin("file:///a"),
  ];
  return Promise.all(questions.map(outcome));
}

describe.each(testEngines())("blocks on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("are kept just as the reference store keeps them", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    await assert(
      asyncProperty(array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        await database.query("truncate block cascade");
        const [reference, store] = [createMemoryBlockStore(), createBlockStore(database)];
        for (const one of steps) {
          const [expected, actual] = [await outcome(apply(reference, one)), await outcome(apply(store, one))];
          expect(actual).toEqual(expected);
        }
        expect(await readAll(store)).toEqual(await readAll(reference));
      }),
      { numRuns: 15 },
    );
  });

  test("edited by two processes at once merge", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const second = openDatabase(engine.optionsOf(database));
    const [one, two] = [service(createBlockStore(database)), service(createBlockStore(second))];
    await one.define({ label: "plan", type: "working", schema, initial: {} }, actor("ana"));
    const lines = [1, 2, 3, 4, 5, 6];
    await Promise.all(
      lines.flatMap((line) => [
        one.edit("plan", { op: "append", content: `one ${line}\n` }, actor("ana")),
        two.edit("plan", { op: "append", content: `two ${line}\n` }, actor("ana")),
      ]),
    );
    const text = await one.text("plan", actor("ana"));
    expect(await two.text("plan", actor("ana"))).toBe(text);
    const expected = lines.flatMap((line) => [`one ${line}`, `two ${line}`]).toSorted();
    expect(text.split("\n").filter(Boolean).toSorted()).toEqual(expected);
    await second.close();
  });

  test("that are pinned count against the budget, with their changes", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const budget = createBudget(database, { limit: 20 });
    const blockBudget = createBlockBudget(budget, { countTokens: (text) => text.length });
    const blocks = service(createBlockStore(database, blockBudget), { guard: blockBudget.guard });
    const ana = actor("ana");
    await blocks.define({ label: "plan", type: "working", schema }, ana);
    await blocks.edit("plan", { op: "append", content: "x".repeat(15) }, ana);
    expect((await budget.status("ana")).pinned).toBe(0);
    await blocks.pin("plan", ana);
    const size = (await blocks.text("plan", ana)).length;
    expect((await budget.status("ana")).pins).toMatchObject([{ uri: blockUri("plan"), tokens: size }]);
    await expect(blocks.edit("plan", { op: "append", content: "y".repeat(10) }, ana)).rejects.toMatchObject({
      code: "over_budget",
    });
    expect(await blocks.text("plan", ana)).not.toContain("y");
    await blocks.setViewport("plan", { start_line: 1, display_lines: 2 }, ana);
    expect((await budget.status("ana")).pinned).toBe(size);
    await blocks.edit("plan", { op: "append", content: "z" }, ana);
    expect((await budget.status("ana")).pinned).toBe((await blocks.text("plan", ana)).length);
    await blocks.unpin("plan", ana);
    expect((await budget.status("ana")).pinned).toBe(0);
  });
});
