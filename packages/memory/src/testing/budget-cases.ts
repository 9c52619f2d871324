import assert from "node:assert/strict";
import { changeBy, makeBlock } from "./make-block.ts";
import type { StoreCase, SuiteStore } from "./store-suite.ts";

/** Pins a block of so many tokens, as the block service does it. */
async function pin(store: SuiteStore, agent: string, label: string, id: string, tokens: number): Promise<void> {
  await store.guard({ agent, label, text: "x".repeat(tokens) });
  await store.blocks.setView(agent, id, { pinned: true });
}

async function edit(store: SuiteStore, agent: string, label: string, tokens: number): Promise<void> {
  const [found] = await store.blocks.find(agent, label);
  assert.ok(found);
  const { id, revision } = found.record;
  await store.guard({ agent, label, text: "x".repeat(tokens) });
  await store.blocks.commit({ id, expected: revision, set: {}, change: changeBy(agent, `${tokens}`) });
}

export const budgetCases: readonly StoreCase[] = [
  {
    id: "what is pinned is counted, and a pin that does not fit is over_budget with both numbers and changes nothing",
    async run({ store, again }) {
      assert.deepEqual(await store.pins.status("ana"), { pinned: 0, limit: 100, level: "fine", pins: [] });
      const one = await store.blocks.create(makeBlock("ana", "one"));
      const two = await store.blocks.create(makeBlock("ana", "two"));
      await pin(store, "ana", "one", one.id, 80);
      const refused = await pin(store, "ana", "two", two.id, 21).catch((error: unknown) => error);
      assert.match(String(refused), /80\/100 tokens\. This pin would use 21 tokens/);
      assert.equal((refused as { code: string }).code, "over_budget");
      const other = await again();
      assert.deepEqual(await other.blocks.view("ana", two.id), { pinned: false });
      const { pinned, level, pins } = await other.pins.status("ana");
      assert.deepEqual(
        [pinned, level, pins.map(({ uri, tokens }) => [uri, tokens])],
        [80, "warning", [["block:///one", 80]]],
      );
      await pin(store, "ana", "two", two.id, 15);
      assert.equal((await other.pins.status("ana")).level, "critical");
      await store.blocks.setView("ana", one.id, { pinned: false });
      assert.equal((await other.pins.status("ana")).pinned, 15);
    },
  },
  {
    id: "a pinned block counts with its new size, and its writer is refused what does not fit",
    async run({ store }) {
      const one = await store.blocks.create(makeBlock("ana", "one"));
      await pin(store, "ana", "one", one.id, 60);
      await edit(store, "ana", "one", 90);
      assert.equal((await store.pins.status("ana")).pinned, 90);
      await assert.rejects(edit(store, "ana", "one", 101), { code: "over_budget" });
      const [found] = await store.blocks.find("ana", "one");
      assert.equal(found?.record.revision, 1);
      assert.deepEqual((await store.pins.status("ana")).pins, [
        { uri: "block:///one", owner: "ana", tokens: 90, version: "1", behind: false },
      ]);
    },
  },
  {
    id: "who pinned a block that another makes too large keeps the version that fitted, which is said",
    async run({ store }) {
      const shared = await store.blocks.create(makeBlock("ana", "shared"));
      await store.blocks.share(shared.id, "bob", "read_write");
      const own = await store.blocks.create(makeBlock("bob", "own"));
      await pin(store, "bob", "own", own.id, 50);
      await pin(store, "bob", "shared", shared.id, 40);
      await edit(store, "ana", "shared", 60);
      const status = await store.pins.status("bob");
      assert.equal(status.pinned, 90);
      assert.deepEqual(
        status.pins.map(({ uri, tokens, behind }) => [uri, tokens, behind]),
        [
          ["block:///own", 50, false],
          ["block:///shared", 40, true],
        ],
      );
      await edit(store, "ana", "shared", 45);
      assert.deepEqual(
        (await store.pins.status("bob")).pins.map(({ tokens, behind }) => [tokens, behind]),
        [
          [50, false],
          [45, false],
        ],
      );
    },
  },
  {
    id: "a limit below what is pinned, or that is no number of tokens, is refused",
    async run({ store }) {
      const one = await store.blocks.create(makeBlock("ana", "one"));
      await pin(store, "ana", "one", one.id, 60);
      await assert.rejects(store.pins.setLimit("ana", 59), { code: "over_budget" });
      for (const odd of [-1, 1.5, Number.NaN])
        await assert.rejects(store.pins.setLimit("ana", odd), { code: "invalid_input" });
      await store.pins.setLimit("ana", 60);
      const { limit, level } = await store.pins.status("ana");
      assert.deepEqual([limit, level], [60, "critical"]);
      assert.equal((await store.pins.status("bob")).limit, 100);
    },
  },
  {
    id: "of many pins at once, also through several openings, only those that fit are made",
    async run({ store, again }) {
      const stores = [store, await again()] as const;
      const blocks = await Promise.all(
        Array.from({ length: 12 }, (_, n) => store.blocks.create(makeBlock("ana", `b${n}`))),
      );
      const made = await Promise.allSettled(
        blocks.map(({ id }, n) => pin(n % 2 === 0 ? stores[0] : stores[1], "ana", `b${n}`, id, 15)),
      );
      const { pinned, pins } = await store.pins.status("ana");
      assert.deepEqual([pinned, pins.length], [90, 6]);
      assert.equal(made.filter(({ status }) => status === "fulfilled").length, 6);
    },
  },
];
