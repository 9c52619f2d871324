import assert from "node:assert/strict";
import type { Actor } from "@ikigai/core";
import type { Assets } from "../pins/pins.ts";
import type { StoreCase, SuiteStore } from "./store-suite.ts";

const ana: Actor = { agent: "ana", conversation: "c1", callId: "call-1", tool: "file_write" };

function assetsOf({ assets }: SuiteStore): Assets {
  if (assets === undefined) throw new Error("this store keeps no assets");
  return assets;
}

export const assetCases: readonly StoreCase[] = [
  {
    id: "an asset is what its source wrote, for the next opening too, and is in the journal",
    async run({ store, again }) {
      const source = assetsOf(store).open("ana");
      const { version } = await source.write("plan.md", "one", { actor: ana });
      await assert.rejects(source.write("plan.md", "two", { actor: ana, expected: null }), { code: "conflict" });
      const other = assetsOf(await again());
      const found = await other.read("ana", "plan.md");
      assert.deepEqual([found?.text, found?.version, found?.owner, found?.tokens], ["one", version, "ana", 3]);
      assert.equal(await other.read("bob", "plan.md"), undefined);
      const paths: string[] = [];
      for await (const { path } of other.list("ana", "")) paths.push(path);
      assert.deepEqual(paths, ["plan.md"]);
      const [record] = await store.journal.history("ikigai:///plan.md", { owner: "ana" });
      assert.deepEqual([record?.state, record?.after?.text, record?.callId], ["done", "one", "call-1"]);
    },
  },
  {
    id: "a pinned asset counts, and one that does not fit is over_budget and changes nothing",
    async run({ store }) {
      const assets = assetsOf(store);
      await assets.change("a.md", { text: "x".repeat(60), fields: { pinned: true } }, ana);
      assert.equal((await assets.find("ana", "a.md"))?.pinned, true);
      await assert.rejects(
        assets.change("b.md", { text: "x".repeat(41), fields: { pinned: true } }, { ...ana, callId: "2" }),
        {
          code: "over_budget",
        },
      );
      assert.equal(await assets.find("ana", "b.md"), undefined);
      assert.equal((await store.pins.status("ana")).pinned, 60);
      await assets.change("a.md", { fields: { pinned: false } }, { ...ana, callId: "3" });
      assert.equal((await store.pins.status("ana")).pinned, 0);
      await assert.rejects(assets.change("c.md", { fields: { archived: true } }, ana), { code: "not_found" });
    },
  },
  {
    id: "changes are told from a position on, with whose they are",
    async run({ store, again }) {
      const [mine, theirs] = [assetsOf(store), assetsOf(await again())];
      const from = await mine.position("ana");
      await mine.open("ana").write("mine.md", "1", { actor: ana });
      await theirs.open("ana").write("theirs.md", "1", { actor: { ...ana, callId: "2" } });
      const stop = new AbortController();
      const told: unknown[] = [];
      for await (const { data } of mine.changes("ana", { after: from, signal: stop.signal })) {
        const { path, own } = data as { path: string; own: boolean };
        if (told.push([path, own]) === 2) stop.abort();
      }
      assert.deepEqual(told, [
        ["mine.md", true],
        ["theirs.md", false],
      ]);
    },
  },
];
