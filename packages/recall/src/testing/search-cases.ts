import assert from "node:assert/strict";
import { found, keep, ME, NOW, OTHER, rejects } from "./helpers.ts";
import type { RecallCase } from "./recall-store-suite.ts";

export const searchCases: readonly RecallCase[] = [
  {
    id: "search/best-first-with-score-and-reasons",
    async run(store) {
      await keep(store, ["The cat sleeps.", "A cat and a dog play in the garden.", "Dogs bark.", "Nothing here."]);
      const hits = await store.search({ query: "cats and dogs" }, ME);
      assert.equal(hits[0]?.content, "A cat and a dog play in the garden.");
      assert.deepEqual((hits[0]?.why.words ?? []).toSorted(), ["cats", "dogs"]);
      assert.equal(hits.length, 3);
      const scores = hits.map(({ score }) => score);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
      assert.ok(scores.every((score) => score > 0 && score <= 1));
    },
  },
  {
    id: "search/rare-words-count-more",
    async run(store) {
      const common = Array.from({ length: 20 }, (_, i) => `The meeting number ${i} was about work.`);
      await keep(store, [...common, "A walrus came by."]);
      assert.equal((await found(store, "meeting walrus"))[0], "A walrus came by.");
    },
  },
  {
    id: "search/limit-defaults-to-ten",
    async run(store) {
      await keep(
        store,
        Array.from({ length: 30 }, (_, i) => `apple ${i}`),
      );
      assert.equal((await found(store, "apple")).length, 10);
      assert.equal((await found(store, { query: "apple", limit: 25 })).length, 25);
      for (const limit of [0, -1, 1.5, 201, Number.NaN]) {
        await rejects(store.search({ query: "apple", limit }, ME), "invalid_input");
      }
    },
  },
  {
    id: "search/nothing-found-is-empty",
    async run(store) {
      assert.deepEqual(await found(store, "anything"), []);
      await keep(store, ["something"]);
      assert.deepEqual(await found(store, "unrelated"), []);
      assert.deepEqual(await found(store, ""), []);
      assert.deepEqual(await found(store, "the of and"), []);
    },
  },
  {
    id: "search/word-forms-accents-and-case",
    async run(store) {
      await keep(store, ["She was RUNNING to the Café in São Paulo."]);
      for (const query of ["run", "runs", "cafe", "CAFÉ", "sao paulo"])
        assert.equal((await found(store, query)).length, 1, query);
    },
  },
  {
    id: "search/code-identifiers-by-part-and-whole",
    async run(store) {
      await keep(store, ["Call parseConfigFile in src/config/load_settings.ts first.", "Parse the mail."]);
      for (const query of [
        "parseConfigFile",
        "config file",
        "load_settings",
        "settings",
        "src/config/load_settings.ts",
      ]) {
        assert.equal((await found(store, query))[0]?.includes("parseConfigFile"), true, query);
      }
    },
  },
  {
    id: "search/text-without-spaces-and-emoji",
    async run(store) {
      await keep(store, ["私は東京に住んでいます", "我喜欢吃北京烤鸭", "서울에서 만나요", "Party tonight 🎉"]);
      assert.equal((await found(store, "東京"))[0], "私は東京に住んでいます");
      assert.equal((await found(store, "北京"))[0], "我喜欢吃北京烤鸭");
      assert.equal((await found(store, "鸭"))[0], "我喜欢吃北京烤鸭");
      assert.equal((await found(store, "서울에서"))[0], "서울에서 만나요");
      assert.equal((await found(store, "🎉"))[0], "Party tonight 🎉");
    },
  },
  {
    id: "search/filter-by-metadata",
    async run(store) {
      await keep(store, [
        { content: "red note", metadata: { project: "a", year: 2020, tags: ["x", "y"], draft: true, when: "2020-05" } },
        { content: "green note", metadata: { project: "b", year: 2021, tags: ["y"], draft: false, when: "2021-05" } },
        { content: "blue note", metadata: { project: "b", year: "2022", title: "100% sure_thing", none: null } },
      ]);
      const cases: readonly [Record<string, never>, readonly string[]][] = [
        [{ project: "a" } as never, ["red note"]],
        [{ project: "b", year: 2021 } as never, ["green note"]],
        [{ year: { gte: 2020, lt: 2021 } } as never, ["red note"]],
        [{ year: { gt: 2020 } } as never, ["green note"]],
        [{ when: { lte: "2020-12" } } as never, ["red note"]],
        [{ tags: { contains: "x" } } as never, ["red note"]],
        [{ title: { contains: "100% sure_" } } as never, ["blue note"]],
        [{ title: { contains: "%" } } as never, ["blue note"]],
        [{ project: { in: ["a", "c"] } } as never, ["red note"]],
        [{ project: { in: [] } } as never, []],
        [{ draft: false } as never, ["green note"]],
        [{ none: null } as never, ["blue note"]],
        [{ year: "2022" } as never, ["blue note"]],
        [{ missing: "x" } as never, []],
        [{ "o'x\"": 1 } as never, []],
      ];
      for (const [filter, expected] of cases) {
        assert.deepEqual(await found(store, { query: "note", filter }), expected, JSON.stringify(filter));
      }
      await rejects(store.search({ query: "note", filter: { a: { like: "x" } as never } }, ME), "invalid_input");
    },
  },
  {
    id: "search/stop-words-find-what-has-nothing-else",
    async run(store) {
      const [id] = await keep(store, ["To be or not to be", "We are what we are, said the walrus."]);
      assert.deepEqual(await found(store, "To be or not to be"), ["To be or not to be"]);
      assert.deepEqual(await found(store, "to be a walrus"), ["We are what we are, said the walrus."]);
      await store.erase(id as string, { by: "ann" }, ME);
      assert.deepEqual(await found(store, "to be"), []);
    },
  },
  {
    id: "search/a-filter-that-no-metadata-can-match-is-refused",
    async run(store) {
      await keep(store, [{ content: "a note", metadata: { a: "x" } }]);
      const bad = [
        { a: "nul \0" },
        { "a\0": "x" },
        { a: { eq: "\0" } },
        { a: { in: ["x", "\0"] } },
        { a: { gte: "\0" } },
        { a: { contains: "\0" } },
        { a: "half \ud83d" },
      ];
      for (const filter of bad) await rejects(store.search({ query: "note", filter }, ME), "invalid_input");
    },
  },
  {
    id: "search/filter-finds-the-needle-among-many",
    async run(store) {
      const many = Array.from({ length: 400 }, (_, i) => ({ content: `short log ${i}`, metadata: { n: i } }));
      await keep(store, many);
      assert.deepEqual(await found(store, { query: "log", filter: { n: 3 } }), ["short log 3"]);
    },
  },
  {
    id: "search/since-and-until-use-the-event-or-the-insert",
    async run(store) {
      await keep(store, [
        { content: "old event", occurredAt: new Date("2020-01-01T00:00:00Z") },
        { content: "new event", occurredAt: new Date("2024-01-01T00:00:00Z") },
        { content: "undated event" },
      ]);
      const since = new Date("2024-01-01T00:00:00Z");
      assert.deepEqual((await found(store, { query: "event", since })).toSorted(), ["new event", "undated event"]);
      assert.deepEqual(await found(store, { query: "event", until: since }), ["old event"]);
      assert.deepEqual(await found(store, { query: "event", since: NOW }), ["undated event"]);
      await rejects(store.search({ query: "event", since: new Date("x") }, ME), "invalid_input");
    },
  },
  {
    id: "search/scope-says-what-it-found",
    async run(store) {
      await keep(store, ["a plain entry about whales"]);
      const copy = { content: "a block about whales", kind: "block", address: "block:///sea", label: "sea" } as const;
      await store.mirror([copy, { content: "an asset about whales", kind: "asset", address: "ikigai:///w.md" }], ME);
      assert.deepEqual(await found(store, "whales"), ["a plain entry about whales"]);
      const [block] = await store.search({ query: "whales", kinds: ["block"] }, ME);
      assert.deepEqual([block?.kind, block?.label, block?.address], ["block", "sea", "block:///sea"]);
      const all = await store.search({ query: "whales", kinds: ["entry", "block", "asset"] }, ME);
      assert.deepEqual(all.map(({ kind }) => kind).toSorted(), ["asset", "block", "entry"]);
      await rejects(store.search({ query: "whales", kinds: [] }, ME), "invalid_input");
    },
  },
  {
    id: "search/mirrored-text-follows-its-original",
    async run(store) {
      const address = "ikigai:///plan.md";
      await store.mirror([{ content: "first version", kind: "asset", address }], ME);
      await store.mirror([{ content: "second draft", kind: "asset", address }], ME);
      assert.deepEqual(await found(store, { query: "version draft", kinds: ["asset"] }), ["second draft"]);
      await store.mirror([{ content: "third draft", kind: "asset", address, version: "3" }], ME);
      assert.deepEqual([...(await store.copies("asset", ME))], [[address, "3"]]);
      assert.deepEqual((await store.copies("asset", OTHER)).size + (await store.copies("turn", ME)).size, 0);
      await store.unmirror([address, "ikigai:///unknown.md"], ME);
      assert.deepEqual(await found(store, { query: "version draft", kinds: ["asset"] }), []);
      assert.equal((await store.status(ME)).entries, 0);
    },
  },
  {
    id: "search/scan-gives-all-in-order",
    async run(store) {
      const ids = await keep(store, ["a1", "b2", "c3", "d4"]);
      await store.mirror([{ content: "a copy", kind: "turn", address: "turn:///1" }], ME);
      const first = await store.scan({ limit: 3 }, ME);
      const rest = await store.scan({ after: first.at(-1)?.id ?? "" }, ME);
      assert.deepEqual(
        [...first, ...rest].map(({ id }) => id),
        ids,
      );
    },
  },
  {
    id: "search/stops-when-aborted",
    async run(store) {
      await keep(store, ["word"]);
      const signal = AbortSignal.abort(new Error("stopped"));
      await assert.rejects(store.search({ query: "word" }, { ...ME, signal }), /stopped/);
    },
  },
];
