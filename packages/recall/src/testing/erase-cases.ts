import assert from "node:assert/strict";
import { found, keep, ME, NOW, rejects } from "./helpers.ts";
import type { RecallCase } from "./recall-store-suite.ts";

export const eraseCases: readonly RecallCase[] = [
  {
    id: "erase/leaves-a-tombstone",
    async run(store) {
      const [id] = await keep(store, [
        { content: "My number is 555-0199.", metadata: { phone: "555-0199" }, thread: "t", provenance: { from: "x" } },
      ]);
      await store.erase(id as string, { by: "ann", reason: "private" }, ME);
      assert.deepEqual(await found(store, "number"), []);
      const entry = await store.get(id as string, ME);
      assert.deepEqual(entry.erased, { at: NOW, by: "ann", reason: "private" });
      assert.deepEqual([entry.content, entry.metadata, entry.provenance, entry.thread], ["", {}, {}, undefined]);
      assert.ok(!JSON.stringify(await store.scan({}, ME)).includes("555"));
      assert.equal((await store.status(ME)).entries, 0);
    },
  },
  {
    id: "erase/twice-keeps-the-first-tombstone",
    async run(store) {
      const [id] = await keep(store, ["gone"]);
      await store.erase(id as string, { by: "ann" }, ME);
      await store.erase(id as string, { by: "ben" }, ME);
      assert.equal((await store.get(id as string, ME)).erased?.by, "ann");
      assert.equal((await store.status(ME)).entries, 0);
    },
  },
  {
    id: "erase/erased-content-can-be-stored-anew",
    async run(store) {
      const [id] = await keep(store, ["again"]);
      await store.erase(id as string, { by: "ann" }, ME);
      const [result] = await store.insert([{ content: "again" }], ME);
      assert.equal(result?.stored, true);
      assert.notEqual(result?.id, id);
    },
  },
  {
    id: "erase/reaches-superseded-entries",
    async run(store) {
      const [old] = await keep(store, ["the old secret"]);
      const [id] = await keep(store, [{ content: "the new word", supersedes: old as string }]);
      await store.erase(old as string, { by: "ann" }, ME);
      assert.deepEqual(await found(store, "secret word"), ["the new word"]);
      assert.deepEqual(
        (await store.history(id as string, ME)).map(({ content }) => content),
        ["", "the new word"],
      );
      assert.equal((await store.status(ME)).entries, 1);
      await rejects(store.insert([{ content: "newer", supersedes: old as string }], ME), "not_found");
      const [anew] = await store.insert([{ content: "the old secret" }], ME);
      assert.equal(anew?.stored, true);
    },
  },
  {
    id: "erase/unknown-is-not-found",
    async run(store) {
      for (const id of ["1", "x", "", "99999999999999999999"]) {
        await rejects(store.erase(id, { by: "ann" }, ME), "not_found");
      }
    },
  },
];
