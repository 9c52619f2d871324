import assert from "node:assert/strict";
import type { CallIntent } from "@ikigai/core/host";
import type { StoreCase } from "./store-suite.ts";

const actor = { agent: "ana", conversation: "c1", callId: "call-1", tool: "file_write" };
const entry = {
  uri: "file:///a.md",
  owner: "folder:/work",
  agent: "ana",
  actor,
  before: { text: "old", version: "1" },
  after: { text: "new", version: "" },
};
const call = (callId: string, tool: string): CallIntent => ({
  callId,
  tool,
  agent: "ana",
  conversation: "c1",
  input: { path: "a.md" },
  verdicts: [{ effect: { action: "update", target: "file:///a.md" }, decision: "allow", needs: "mode", trace: [] }],
});

export const recordCases: readonly StoreCase[] = [
  {
    id: "a change is in the journal from its announcement on, and done or failed once it is settled",
    async run({ store, again }) {
      const first = await store.journal.intend(entry);
      const other = (await again()).journal;
      assert.equal((await other.get(first)).state, "intended");
      await store.journal.settle(first, { version: "2" });
      const failed = await store.journal.intend({ ...entry, after: { text: "never", version: "" } });
      await store.journal.settle(failed, "failed");
      const history = await store.journal.history(entry.uri, { owner: entry.owner });
      assert.deepEqual(
        history.map(({ id, state, before, after }) => [id, state, before?.text, after?.text, after?.version]),
        [[first, "done", "old", "new", "2"]],
      );
      assert.deepEqual(
        (await store.journal.ofCall("call-1")).map(({ id, tool }) => [id, tool]),
        [[first, "file_write"]],
      );
      assert.deepEqual(await store.journal.history(entry.uri, { owner: "somebody else" }), []);
      assert.equal(await store.journal.pruned(entry.uri, { owner: entry.owner }), undefined);
      await assert.rejects(store.journal.get("no such entry"), { code: "not_found" });
    },
  },
  {
    id: "the history of a text is newest first and no longer than asked for, with large texts whole",
    async run({ store: { journal } }) {
      const texts = Array.from({ length: 4 }, (_, n) => `${n} ${`line of ${n}\n`.repeat(20_000)}`);
      for (const [n, text] of texts.entries()) {
        const version = String(n + 1);
        const changed = { ...entry, actor: { ...actor, callId: `c${n}` }, after: { text, version } };
        await journal.settle(await journal.intend(changed), { version });
      }
      const latest = await journal.history(entry.uri, { owner: entry.owner, limit: 2 });
      assert.deepEqual(
        latest.map(({ after }) => after?.text === texts[3] || after?.text === texts[2]),
        [true, true],
      );
      assert.deepEqual(
        latest.map(({ after }) => after?.version),
        ["4", "3"],
      );
    },
  },
  {
    id: "calls are in the audit before they run and after they ended, newest first, and can be asked for",
    async run({ store: { audit } }) {
      await audit.intent(call("one", "file_write"));
      await audit.written("one");
      await audit.outcome({ ...call("one", "file_write"), outcome: "success" });
      await audit.intent(call("two", "bash"));
      await audit.written("two");
      await audit.outcome({ ...call("two", "bash"), outcome: "permission_denied", error: "no" });
      await audit.takeIn();
      const told = async (query?: Parameters<typeof audit.read>[0]): Promise<string[]> =>
        (await audit.read(query)).map(({ call_id: id, phase }) => `${id} ${phase}`);
      assert.deepEqual((await told()).toSorted(), ["one intent", "one outcome", "two intent", "two outcome"]);
      assert.deepEqual(await told({ denied: true }), ["two outcome"]);
      assert.deepEqual((await told({ tool: "file_write" })).length, 2);
      assert.deepEqual((await told({ callId: "two" })).length, 2);
      assert.deepEqual((await told({ limit: 1 })).length, 1);
    },
  },
  {
    id: "the first answer to a question counts, and one that is unknown, answered or taken back cannot be answered",
    async run({ store, again }) {
      const asked = { agent: "ana", tool: "file_write", person: "partner", question: "May I?", waitMs: 60_000 };
      const id = await store.approvals.add({ ...asked, operation: "write" });
      const other = (await again()).approvals;
      const [waiting] = await other.pending();
      assert.deepEqual([waiting?.id, waiting?.operation, waiting?.question], [id, "write", "May I?"]);
      assert.equal(await store.approvals.answerTo(id), undefined);
      await other.answer(id, { approved: true, by: "eve", reason: "fine" });
      assert.deepEqual(await store.approvals.answerTo(id), { approved: true, by: "eve", reason: "fine" });
      await assert.rejects(other.answer(id, { approved: false, by: "bob" }), { code: "not_found" });
      const second = await store.approvals.add(asked);
      await store.approvals.withdraw(second);
      await assert.rejects(other.answer(second, { approved: true, by: "eve" }), { code: "not_found" });
      await assert.rejects(other.answer("none", { approved: true, by: "eve" }), { code: "not_found" });
      const late = await store.approvals.add({ ...asked, waitMs: 0 });
      await assert.rejects(other.answer(late, { approved: true, by: "eve" }), { code: "not_found" });
      assert.deepEqual(await other.pending(), []);
    },
  },
  {
    id: "the position in a stream is each agent's own, and of two that are saved the merge decides",
    async run({ store, again }) {
      assert.equal(await store.positions.load("ana", "mail"), undefined);
      await store.positions.save("ana", "mail", "5");
      const later = (stored: string, latest: string): string => (Number(stored) > Number(latest) ? stored : latest);
      const other = (await again()).positions;
      await other.save("ana", "mail", "3", later);
      assert.equal(await store.positions.load("ana", "mail"), "5");
      await other.save("ana", "mail", "4");
      assert.deepEqual(
        [await store.positions.load("ana", "mail"), await store.positions.load("bob", "mail")],
        ["4", undefined],
      );
    },
  },
  {
    id: "a new store has refused nothing",
    async run({ store }) {
      assert.deepEqual(await store.refused(), []);
    },
  },
];
