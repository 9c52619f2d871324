import assert from "node:assert/strict";
import { found, keep, ME, NOW, OTHER, rejects } from "./helpers.ts";
import type { RecallCase } from "./recall-store-suite.ts";

export const insertCases: readonly RecallCase[] = [
  {
    id: "insert/returns-what-was-given",
    async run(store) {
      const entry = {
        content: "The deploy key lives in the vault.",
        metadata: { project: "apollo", tags: ["ops"], nested: { a: [1, null, "x"] } },
        thread: "ops",
        order: 2.5,
        occurredAt: new Date("2024-05-01T08:30:00Z"),
        provenance: { conversation: "c1" },
      };
      const [result] = await store.insert([entry], ME);
      assert.equal(result?.stored, true);
      const { label, kind, createdAt, id, ...rest } = await store.get(result?.id ?? "", ME);
      assert.deepEqual(rest, entry);
      assert.equal(id, result?.id);
      assert.equal(kind, "entry");
      assert.equal(label, "The deploy key lives in the vault.");
      assert.deepEqual(createdAt, NOW);
    },
  },
  {
    id: "insert/same-content-is-not-stored-again",
    async run(store) {
      const [first] = await store.insert([{ content: "Tea, not coffee." }], ME);
      const [second] = await store.insert([{ content: " Tea,  not coffee.\n" }], ME);
      assert.deepEqual(second, { id: first?.id, stored: false, recognised: "same_content" });
      assert.equal((await store.status(ME)).entries, 1);
    },
  },
  {
    id: "insert/same-content-in-one-batch-is-stored-once",
    async run(store) {
      const [a, b, c] = await store.insert([{ content: "one" }, { content: "two" }, { content: "one" }], ME);
      assert.deepEqual([a?.stored, b?.stored, c?.stored], [true, true, false]);
      assert.equal(c?.id, a?.id);
    },
  },
  {
    id: "insert/the-same-words-at-another-place-or-time-are-another-entry",
    async run(store) {
      const day = (text: string): Date => new Date(`${text}T10:00:00Z`);
      const yes = [
        { content: "Yes.", thread: "a", order: 1, occurredAt: day("2024-01-01") },
        { content: "Yes.", thread: "a", order: 2, occurredAt: day("2024-01-01") },
        { content: "Yes.", thread: "b", order: 1, occurredAt: day("2024-01-01") },
        { content: "Yes.", thread: "b", order: 1, occurredAt: day("2024-01-02") },
        { content: "Yes." },
      ];
      const first = await store.insert(yes, ME);
      assert.deepEqual(
        first.map(({ stored }) => stored),
        [true, true, true, true, false],
      );
      assert.deepEqual(
        (await store.insert(yes, ME)).map(({ id, stored }) => [id, stored]),
        first.map(({ id }) => [id, false]),
      );
      assert.equal((await store.status(ME)).entries, 4);
    },
  },
  {
    id: "insert/other-metadata-is-said",
    async run(store) {
      const [id] = await keep(store, [{ content: "Tea.", metadata: { a: 1, b: [2] } }]);
      const [same] = await store.insert([{ content: "Tea.", metadata: { b: [2], a: 1 } }], ME);
      assert.deepEqual(same, { id, stored: false, recognised: "same_content" });
      const [other] = await store.insert([{ content: "Tea.", metadata: { a: 2 } }], ME);
      assert.deepEqual(other, { id, stored: false, recognised: "same_content", otherMetadata: true });
      const [bare] = await store.insert([{ content: "Tea." }], ME);
      assert.deepEqual(bare, same);
    },
  },
  {
    id: "insert/content-that-was-corrected-is-recognised",
    async run(store) {
      const [a] = await keep(store, ["The office is in Bergen."]);
      const [b] = await keep(store, [{ content: "The office is in Oslo.", supersedes: a as string }]);
      const [c] = await keep(store, [{ content: "The office is in Bodø.", supersedes: b as string }]);
      const [again] = await store.insert([{ content: "The office is in Bergen." }], ME);
      assert.deepEqual(again, { id: a, stored: false, recognised: "superseded", supersededBy: c });
      assert.deepEqual(await found(store, "office"), ["The office is in Bodø."]);
      const [elsewhere] = await store.insert([{ content: "The office is in Bergen.", thread: "t" }], ME);
      assert.equal(elsewhere?.stored, true);
      await store.erase(c as string, { by: "ann" }, ME);
      await store.erase(elsewhere?.id ?? "", { by: "ann" }, ME);
      const [free] = await store.insert([{ content: "The office is in Oslo." }], ME);
      assert.equal(free?.stored, true);
    },
  },
  {
    id: "insert/same-content-of-another-owner-is-stored",
    async run(store) {
      await keep(store, ["shared words"]);
      const [other] = await store.insert([{ content: "shared words" }], OTHER);
      assert.equal(other?.stored, true);
    },
  },
  {
    id: "insert/parallel-inserts-of-one-content-store-it-once",
    async run(store) {
      const all = await Promise.all(Array.from({ length: 8 }, () => store.insert([{ content: "raced" }], ME)));
      const results = all.flat();
      assert.equal(results.filter(({ stored }) => stored).length, 1);
      assert.equal(new Set(results.map(({ id }) => id)).size, 1);
    },
  },
  {
    id: "insert/recalled-text-is-recognised",
    async run(store) {
      const [a, b] = await keep(store, ["Anna likes pears.", "Ben moved to Oslo."]);
      const quoted = `> Anna likes pears. (recall:///${a})`;
      const listed = `- Anna likes pears.\n- Ben moved to Oslo.`;
      const answer = JSON.stringify({ success: true, data: { results: [{ id: b, content: "Ben moved to Oslo." }] } });
      for (const content of [quoted, listed, answer, '"Anna likes pears."']) {
        const [result] = await store.insert([{ content }], ME);
        assert.equal(result?.recognised, "recalled_text", content);
      }
      assert.equal((await store.status(ME)).entries, 2);
    },
  },
  {
    id: "insert/recalled-text-with-something-new-is-stored",
    async run(store) {
      await keep(store, ["Anna likes pears."]);
      const [result] = await store.insert([{ content: "- Anna likes pears.\n- Ben likes plums." }], ME);
      assert.equal(result?.stored, true);
    },
  },
  {
    id: "insert/supersedes-hides-the-old",
    async run(store) {
      const [old] = await keep(store, ["The office is in Bergen."]);
      const [id] = await keep(store, [{ content: "The office is in Trondheim.", supersedes: old as string }]);
      assert.deepEqual(await found(store, "office"), ["The office is in Trondheim."]);
      const history = await store.history(id as string, ME);
      assert.deepEqual(history, await store.history(old as string, ME));
      assert.deepEqual(
        history.map((one) => [one.id, one.supersedes, one.supersededBy]),
        [
          [old, undefined, id],
          [id, old, undefined],
        ],
      );
    },
  },
  {
    id: "insert/supersedes-once",
    async run(store) {
      const [old] = await keep(store, ["v1"]);
      await keep(store, [{ content: "v2", supersedes: old as string }]);
      await rejects(store.insert([{ content: "v3", supersedes: old as string }], ME), "conflict");
      assert.deepEqual(await found(store, "v3"), []);
    },
  },
  {
    id: "insert/supersedes-needs-an-own-entry",
    async run(store) {
      const [theirs] = await keep(store, ["theirs"], OTHER);
      for (const supersedes of [theirs as string, "999999", "no id"]) {
        await rejects(store.insert([{ content: "mine", supersedes }], ME), "not_found");
      }
      assert.equal((await store.status(ME)).entries, 0);
    },
  },
  {
    id: "insert/superseded-content-can-come-back",
    async run(store) {
      const [a] = await keep(store, ["blue"]);
      const [b] = await keep(store, [{ content: "green", supersedes: a as string }]);
      const [c] = await store.insert([{ content: "blue", supersedes: b as string }], ME);
      assert.equal(c?.stored, true);
      assert.deepEqual(await found(store, "blue green"), ["blue"]);
      assert.equal((await store.history(a as string, ME)).length, 3);
    },
  },
  {
    id: "insert/superseding-by-known-content-points-to-it",
    async run(store) {
      const [wrong, right] = await keep(store, ["The bus leaves at nine.", "The bus leaves at ten."]);
      const [result] = await store.insert([{ content: "The bus leaves at ten.", supersedes: wrong as string }], ME);
      assert.deepEqual([result?.id, result?.stored], [right, false]);
      assert.deepEqual(await found(store, "bus"), ["The bus leaves at ten."]);
    },
  },
  {
    id: "insert/bad-input-stores-nothing",
    async run(store) {
      const bad = [
        { content: "" },
        { content: "  \n" },
        { content: "a\0b" },
        { content: "half \ud83d" },
        { content: "x", thread: "" },
        { content: "x", order: Number.NaN },
        { content: "x", occurredAt: new Date("nonsense") },
        { content: "x", metadata: { a: "nul \0" } },
        { content: "x".repeat(1_000_001) },
      ];
      for (const entry of bad) await rejects(store.insert([{ content: "good" }, entry], ME), "invalid_input");
      assert.equal((await store.status(ME)).entries, 0);
    },
  },
  {
    id: "insert/owners-are-apart",
    async run(store) {
      const [id] = await keep(store, ["a secret of mine"]);
      assert.deepEqual(await found(store, "secret", OTHER), []);
      await rejects(store.get(id as string, OTHER), "not_found");
      await rejects(store.history(id as string, OTHER), "not_found");
      await rejects(store.erase(id as string, { by: "eve" }, OTHER), "not_found");
      assert.deepEqual(await store.scan({}, OTHER), []);
      assert.equal((await store.status(OTHER)).entries, 0);
      for (const owner of ["agent", "agent-a%", "agent-_", "AGENT-A", ""]) {
        assert.deepEqual(await found(store, "secret", { owner }), []);
      }
    },
  },
];
