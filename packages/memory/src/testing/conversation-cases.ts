import assert from "node:assert/strict";
import type { StoreCase, SuiteMessage } from "./store-suite.ts";

const said = (id: string, text = id): SuiteMessage => ({ id, at: "2026-03-04T05:06:07.000Z", text });
const ids = (messages: readonly SuiteMessage[]): string[] => messages.map(({ id }) => id);

/** A sequence that looks random and is the same every time. */
function* numbers(seed: number): Generator<number> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    yield state >> 8;
  }
}

export const conversationCases: readonly StoreCase[] = [
  {
    id: "messages keep their order, are taken once, and are there for the next opening",
    async run({ store, again }) {
      const id = await store.conversations.create("ana", "/work");
      await store.conversations.append(id, [said("a"), said("b")]);
      await store.conversations.append(id, [said("b", "changed"), said("c"), said("c")]);
      const other = await again();
      assert.deepEqual(await other.conversations.messages(id), [said("a"), said("b"), said("c")]);
      const [info] = await other.conversations.list("ana");
      assert.deepEqual([info?.id, info?.title, info?.messages, info?.workspace], [id, "a", 3, "/work"]);
      assert.deepEqual(await other.conversations.list("bob"), []);
    },
  },
  {
    id: "an unknown conversation is not_found, and has no requests",
    async run({ store: { conversations } }) {
      for (const ask of [
        () => conversations.messages("none"),
        () => conversations.append("none", [said("a")]),
        () => conversations.fork("none"),
        () => conversations.mark("none", "m"),
        () => conversations.rewind("none", "m"),
        () => conversations.rewindBefore("none", "a"),
        () => conversations.saveManifest("none", { entries: [] }),
        () => conversations.lastManifest("none"),
        () => conversations.recordManifest("none", { entries: [] }, 1),
      ]) {
        await assert.rejects(ask(), { code: "not_found" });
      }
      assert.equal(await conversations.findManifest("none"), undefined);
      await conversations.discardEmpty("none");
    },
  },
  {
    id: "messages that are added at once through several openings are all kept, each once",
    async run({ store, again }) {
      const id = await store.conversations.create("ana");
      const stores = [store, await again(), await again()];
      await Promise.all(
        stores.flatMap(({ conversations }, n) => [0, 1, 2].map((m) => conversations.append(id, [said(`${n}-${m}`)]))),
      );
      assert.deepEqual(
        ids(await store.conversations.messages(id)).toSorted(),
        "0-0 0-1 0-2 1-0 1-1 1-2 2-0 2-1 2-2".split(" "),
      );
    },
  },
  {
    id: "going back hides what came after, and what is said then follows what is left",
    async run({ store: { conversations } }) {
      const id = await conversations.create("ana");
      await conversations.append(id, [said("a"), said("b")]);
      await conversations.mark(id, "here");
      await conversations.append(id, [said("c"), said("d")]);
      await conversations.rewind(id, "here");
      await conversations.append(id, [said("e")]);
      assert.deepEqual(ids(await conversations.messages(id)), ["a", "b", "e"]);
      await conversations.rewindBefore(id, "b");
      assert.deepEqual(ids(await conversations.messages(id)), ["a"]);
      await assert.rejects(conversations.rewindBefore(id, "b"), { code: "not_found" });
      const unknown = await conversations.rewind(id, "there").catch((error: unknown) => error);
      assert.match((unknown as { hint: string }).hint, /here/);
    },
  },
  {
    id: "a fork has what was shown and goes its own way; an empty conversation can be discarded, another cannot",
    async run({ store: { conversations } }) {
      const id = await conversations.create("ana", "/work");
      await conversations.append(id, [said("a"), said("b")]);
      await conversations.rewindBefore(id, "b");
      const copy = await conversations.fork(id);
      await conversations.append(copy, [said("z")]);
      assert.deepEqual(
        [ids(await conversations.messages(id)), ids(await conversations.messages(copy))],
        [["a"], ["a", "z"]],
      );
      const empty = await conversations.create("ana");
      await conversations.discardEmpty(empty);
      await conversations.discardEmpty(id);
      assert.deepEqual((await conversations.list("ana")).map((one) => one.id).toSorted(), [id, copy].toSorted());
    },
  },
  {
    id: "manifests are found by request and by turn, and the summary stays with the last one",
    async run({ store, again }) {
      const { conversations } = store;
      const id = await conversations.create("ana");
      assert.equal(await conversations.lastManifest(id), undefined);
      await conversations.recordManifest(id, { entries: ["a"] }, 1);
      await conversations.saveManifest(id, { entries: ["a"], summary: "short" });
      await conversations.recordManifest(id, { entries: ["a", "b"] }, 1);
      await conversations.recordManifest(id, { entries: ["c"] }, 2);
      const other = (await again()).conversations;
      assert.deepEqual(await other.lastManifest(id), { entries: ["c"], summary: "short" });
      const found = await Promise.all(
        [{}, { turn: 1 }, { request: 1 }, { request: 9 }].map((which) => other.findManifest(id, which)),
      );
      assert.deepEqual(
        found.map((one) => one && [one.request, one.turn, one.manifest.entries]),
        [[3, 2, ["c"]], [2, 1, ["a", "b"]], [1, 1, ["a"]], undefined],
      );
    },
  },
  {
    id: "any sequence of adding, marking and going back shows what a list of messages would",
    async run({ store: { conversations } }) {
      const id = await conversations.create("ana");
      const random = numbers(7);
      const next = (below: number): number => (random.next().value as number) % below;
      let shown: string[] = [];
      let taken = 0;
      const all: string[] = [];
      const hidden = new Set<string>();
      const marks = new Map<string, number>();
      for (let step = 0; step < 60; step += 1) {
        const what = next(6);
        if (what < 3) {
          const fresh = Array.from({ length: 1 + next(3) }, () => `m${taken++}`);
          all.push(...fresh);
          await conversations.append(
            id,
            fresh.map((one) => said(one)),
          );
        } else if (what === 3) {
          const name = `k${next(3)}`;
          marks.set(name, all.length);
          await conversations.mark(id, name);
        } else if (what === 4 && marks.size > 0) {
          const [name, position] = [...marks][next(marks.size)] as [string, number];
          for (const one of all.slice(position)) hidden.add(one);
          await conversations.rewind(id, name);
        } else if (shown.length > 0) {
          const message = shown[next(shown.length)] as string;
          for (const one of all.slice(all.indexOf(message))) hidden.add(one);
          await conversations.rewindBefore(id, message);
        }
        shown = all.filter((one) => !hidden.has(one));
        assert.deepEqual(ids(await conversations.messages(id)), shown, `after step ${step}`);
      }
    },
  },
  {
    id: "the retention lets go of conversations beyond its number, and a dry run only counts",
    async run({ store }) {
      const at = (day: number): SuiteMessage => ({
        ...said(`m${day}`),
        at: new Date(Date.UTC(2026, 0, day)).toISOString(),
      });
      const made: string[] = [];
      for (const day of [1, 2, 3]) {
        const id = await store.conversations.create("ana");
        await store.conversations.append(id, [at(day)]);
        made.push(id);
      }
      const keep = { conversations: { rows: 2 } };
      assert.equal((await store.prune(keep, { dryRun: true })).conversations, 1);
      assert.equal((await store.conversations.list("ana")).length, 3);
      assert.equal((await store.prune(keep)).conversations, 1);
      await assert.rejects(store.conversations.messages(made[0] as string), { code: "not_found" });
      const old = { conversations: { days: 10 } };
      assert.equal((await store.prune(old, { now: new Date(Date.UTC(2026, 0, 13)) })).conversations, 1);
      assert.deepEqual(
        (await store.conversations.list("ana")).map(({ id }) => id),
        [made[2]],
      );
      assert.deepEqual(await store.prune({}), { journal: 0, audit: 0, conversations: 0 });
    },
  },
];
