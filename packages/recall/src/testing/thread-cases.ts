import assert from "node:assert/strict";
import { found, keep, ME } from "./helpers.ts";
import type { RecallCase } from "./recall-store-suite.ts";

const CHAT = [
  { content: "Ann: Did you adopt the puppy?", thread: "s1", order: 1 },
  { content: "Ben: Yes, yesterday. He is called Rufus.", thread: "s1", order: 2 },
  { content: "Ann: Lovely!", thread: "s1", order: 3 },
  { content: "Ben: The weather is fine.", thread: "s2", order: 1 },
  { content: "Ann: Let us walk then.", thread: "s2", order: 2 },
].map((entry) => ({
  ...entry,
  occurredAt: new Date(entry.thread === "s1" ? "2023-05-08T13:56:00Z" : "2023-08-01T10:00:00Z"),
}));

export const threadCases: readonly RecallCase[] = [
  {
    id: "thread/neighbours-of-a-hit-are-found",
    async run(store) {
      await keep(store, CHAT);
      const hits = await store.search({ query: "adopt puppy" }, ME);
      assert.deepEqual(hits.map(({ order, thread }) => `${thread}/${order}`).toSorted(), ["s1/1", "s1/2", "s1/3"]);
      assert.ok(hits.find(({ order }) => order === 2)?.why.also.includes("neighbours"));
    },
  },
  {
    id: "thread/order-not-insertion-decides-who-is-near",
    async run(store) {
      const far = Array.from({ length: 6 }, (_, i) => ({ content: `filler ${i}`, thread: "t", order: 10 + i }));
      await keep(store, [
        { content: "the answer", thread: "t", order: 2 },
        ...far,
        { content: "zebra question", thread: "t", order: 1 },
      ]);
      assert.deepEqual((await found(store, "zebra")).slice(0, 2).toSorted(), ["the answer", "zebra question"]);
    },
  },
  {
    id: "thread/other-threads-and-owners-lend-nothing",
    async run(store) {
      await keep(store, [
        { content: "zebra", thread: "a", order: 1 },
        { content: "plain", thread: "b", order: 2 },
        { content: "unthreaded" },
      ]);
      await keep(store, [{ content: "theirs", thread: "a", order: 2 }], { owner: "agent-b" });
      assert.deepEqual(await found(store, "zebra"), ["zebra"]);
    },
  },
  {
    id: "thread/a-neighbour-outside-the-filter-is-no-result",
    async run(store) {
      await keep(store, [
        { content: "zebra", thread: "a", order: 1, metadata: { keep: true } },
        { content: "next", thread: "a", order: 2 },
      ]);
      assert.deepEqual(await found(store, { query: "zebra", filter: { keep: true } }), ["zebra"]);
    },
  },
  {
    id: "thread/dates-in-the-query-are-understood",
    async run(store) {
      const lunch = (day: string): { content: string; occurredAt: Date } => ({
        content: `Lunch with Eve, ${day.slice(5)}.`,
        occurredAt: new Date(`${day}T12:00:00Z`),
      });
      await keep(store, ["2023-03-07", "2023-05-20", "2024-05-12", "2024-06-01"].map(lunch));
      const first = async (query: string): Promise<string | undefined> => (await found(store, query))[0];
      assert.equal(await first("lunch with Eve on 7 March 2023"), "Lunch with Eve, 03-07.");
      assert.equal(await first("lunch with Eve last May"), "Lunch with Eve, 05-12.");
      assert.equal(await first("lunch with Eve two weeks ago"), "Lunch with Eve, 06-01.");
      assert.equal(await first("lunch with Eve in May 2023"), "Lunch with Eve, 05-20.");
    },
  },
  {
    id: "thread/a-date-alone-finds-its-entries",
    async run(store) {
      await keep(store, [
        { content: "Planted tomatoes.", occurredAt: new Date("2023-03-07T09:00:00Z") },
        { content: "Painted the door.", occurredAt: new Date("2023-09-01T09:00:00Z") },
      ]);
      assert.deepEqual(await found(store, "on 7 March 2023"), ["Planted tomatoes."]);
    },
  },
  {
    id: "thread/dates-in-the-entry-are-understood",
    async run(store) {
      await keep(store, [
        { content: "Went to the concert yesterday.", occurredAt: new Date("2023-05-08T10:00:00Z") },
        { content: "Went to the concert today.", occurredAt: new Date("2023-05-20T10:00:00Z") },
        { content: "Went to the concert again.", occurredAt: new Date("2023-05-09T10:00:00Z") },
      ]);
      assert.equal((await found(store, "concert on 2023-05-07"))[0], "Went to the concert yesterday.");
    },
  },
  {
    id: "thread/who-is-asked-about-speaks-first",
    async run(store) {
      await keep(store, [
        { content: "I love hiking in the hills", metadata: { speaker: "Ann" } },
        { content: "I love hiking in the woods", metadata: { speaker: "Ben" } },
      ]);
      assert.equal((await found(store, "Where does Ben go hiking?"))[0], "I love hiking in the woods");
      assert.equal((await found(store, "Where does Ann go hiking?"))[0], "I love hiking in the hills");
    },
  },
];
