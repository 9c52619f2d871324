import assert from "node:assert/strict";
import { changeBy, makeBlock, textOf } from "./make-block.ts";
import type { StoreCase } from "./store-suite.ts";

export const blockCases: readonly StoreCase[] = [
  {
    id: "a block is found by its label, and its owner has only one of that label",
    async run({ store, again }) {
      const made = await store.blocks.create(makeBlock("ana", "plan", "one"));
      assert.equal(made.revision, 0);
      await assert.rejects(store.blocks.create(makeBlock("ana", "plan")), { code: "conflict" });
      await store.blocks.create(makeBlock("bob", "plan"));
      const other = await again();
      const found = await other.blocks.find("ana", "plan");
      assert.deepEqual(
        found.map(({ record, shared }) => [record.id, record.owner, shared]),
        [[made.id, "ana", undefined]],
      );
      assert.deepEqual(await other.blocks.find("eve", "plan"), []);
      const { snapshots, updates } = await other.blocks.load(made.id);
      assert.deepEqual([snapshots.map(({ bytes }) => textOf(bytes)), updates.length], [["one"], 0]);
    },
  },
  {
    id: "an unknown block is not_found, whatever is asked of it",
    async run({ store: { blocks } }) {
      for (const ask of [
        () => blocks.load("none"),
        () => blocks.updatesAfter("none", 0),
        () => blocks.commit({ id: "none", expected: 0, set: {} }),
        () => blocks.compact("none", { revision: 1, bytes: new Uint8Array() }),
        () => blocks.history("none", 5),
        () => blocks.share("none", "bob", "append"),
        () => blocks.view("ana", "none"),
        () => blocks.setView("ana", "none", { pinned: true }),
      ]) {
        await assert.rejects(ask(), { code: "not_found" });
      }
    },
  },
  {
    id: "a shared block is seen by whom it is shared with, behind their own, until that ends",
    async run({ store: { blocks } }) {
      const { id } = await blocks.create(makeBlock("ana", "plan"));
      assert.equal(await blocks.share(id, "bob", "append"), true);
      assert.equal(await blocks.share(id, "bob", "append"), false);
      assert.equal(await blocks.share(id, "constructor", "read_only"), true);
      await blocks.create(makeBlock("bob", "plan"));
      await blocks.create(makeBlock("bob", "alpha"));
      const seen = (await blocks.list("bob")).map(({ record, shared }) => [record.label, record.owner, shared]);
      assert.deepEqual(seen, [
        ["alpha", "bob", undefined],
        ["plan", "bob", undefined],
        ["plan", "ana", "append"],
      ]);
      assert.deepEqual(
        (await blocks.find("bob", "plan")).map(({ record }) => record.owner),
        ["bob", "ana"],
      );
      assert.equal(await blocks.share(id, "bob", undefined), true);
      assert.equal(await blocks.share(id, "bob", undefined), false);
      assert.equal((await blocks.find("bob", "plan")).length, 1);
    },
  },
  {
    id: "a commit on another revision is a conflict and changes nothing; of many at once each revision is given once",
    async run({ store, again }) {
      const { id } = await store.blocks.create(makeBlock("ana", "plan"));
      const other = await again();
      const commits = await Promise.allSettled(
        [store, other, store, other].map(({ blocks }, n) =>
          blocks.commit({ id, expected: 0, set: {}, change: changeBy("ana", `change ${n}`) }),
        ),
      );
      assert.equal(commits.filter(({ status }) => status === "fulfilled").length, 1);
      for (const one of commits) if (one.status === "rejected") assert.equal(one.reason.code, "conflict");
      assert.equal((await store.blocks.load(id)).updates.length, 1);
      assert.equal((await store.blocks.history(id, 10)).length, 2);
    },
  },
  {
    id: "a commit keeps what it sets, and an origin until it is removed",
    async run({ store: { blocks } }) {
      const origin = { uri: "file:///a.md", version: "1", frontiers: "0", digest: "d" };
      const { id } = await blocks.create(makeBlock("ana", "plan", "", { origin }));
      assert.deepEqual(
        (await blocks.listByOrigin("file:///a.md")).map((record) => record.id),
        [id],
      );
      const typed = await blocks.commit({ id, expected: 0, set: { type: "archival" } });
      assert.deepEqual([typed.type, typed.origin, typed.revision], ["archival", origin, 1]);
      const gone = await blocks.commit({ id, expected: 1, set: { origin: null } });
      assert.deepEqual([gone.origin, gone.revision], [undefined, 2]);
      assert.deepEqual(await blocks.listByOrigin("file:///a.md"), []);
      assert.equal((await blocks.history(id, 10)).length, 1);
    },
  },
  {
    id: "snapshots keep the one before them, and updates behind that",
    async run({ store: { blocks } }) {
      const { id } = await blocks.create(makeBlock("ana", "plan", "0"));
      for (let revision = 0; revision < 6; revision += 1)
        await blocks.commit({ id, expected: revision, set: {}, change: changeBy("ana", String(revision + 1)) });
      const after = async (revision: number): Promise<number[] | undefined> =>
        (await blocks.updatesAfter(id, revision))?.map((update) => update.revision);
      assert.deepEqual(await after(4), [5, 6]);
      await blocks.compact(id, { revision: 2, bytes: new Uint8Array([2]) });
      await blocks.compact(id, { revision: 4, bytes: new Uint8Array([4]) });
      await blocks.compact(id, { revision: 3, bytes: new Uint8Array([3]) });
      const { snapshots, updates } = await blocks.load(id);
      assert.deepEqual(
        snapshots.map(({ revision }) => revision),
        [4, 2],
      );
      assert.deepEqual(
        updates.map(({ revision }) => revision),
        [3, 4, 5, 6],
      );
      assert.equal(await after(1), undefined);
      assert.deepEqual(
        (await blocks.history(id, 2)).map(({ frontiers }) => frontiers),
        ["6", "5"],
      );
    },
  },
];
