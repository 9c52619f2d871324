import type { Database } from "@ikigai/database";
import type { AuditRow, Journal, JournalEntry } from "@ikigai/memory";
import { expect, test } from "vitest";
import { createAuditWithJournal } from "./audit-with-journal.ts";

const entry: JournalEntry = {
  uri: "file:///a.md",
  owner: "ana",
  agent: "ana",
  actor: { agent: "ana", conversation: "c1", callId: "call-1", tool: "file_write" },
  after: { text: "new", version: "" },
};
const rowOf = (id: string): AuditRow => ({
  id,
  at: "2026-01-02T03:04:05.678Z",
  phase: "intent",
  call_id: "call-1",
  agent: "ana",
  conversation: "c1",
  tool: "file_write",
  operation: null,
  outcome: null,
  details: "{}",
});

function createGate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((open) => (resolve = open));
  return { promise, resolve };
}

/** The acts over a store that tells in which order it was asked; each step may be made to wait or to fail. */
function open(steps: { keep?: Promise<void>; announce?: () => Promise<void>; settle?: Promise<void> } = {}) {
  const asked: string[] = [];
  const warnings: string[] = [];
  const journal = {
    intend: async () => (asked.push("announced alone"), "9"),
    settle: async (id: string, end: object | string) => {
      await steps.settle;
      asked.push(`settled ${id} ${JSON.stringify(end)}`);
    },
    history: async () => (asked.push("read"), []),
    ofCall: async () => (asked.push("read"), []),
    get: async () => (asked.push("read"), undefined),
  } as unknown as Journal;
  const database = {
    async query(text: string, values: readonly unknown[]) {
      asked.push(
        /insert into audit[^]*insert into journal/.test(text) ? `with ${JSON.parse(String(values.at(-1))).id}` : text,
      );
      await steps.announce?.();
      return { rows: [{ id: "1" }], count: 1 };
    },
  } as unknown as Database;
  const acts = createAuditWithJournal({
    database,
    journal,
    async keepRow({ id }) {
      asked.push(`keeping ${id}`);
      await steps.keep;
      asked.push(`kept ${id}`);
    },
    warn: (message) => warnings.push(message),
  });
  return { acts, asked, warnings };
}

test("a row goes to the store with the announcement of its change, once", async () => {
  const { acts, asked } = open();
  await acts.keepWithChange(rowOf("a"));
  expect(await acts.journal.intend(entry)).toBe("1");
  await acts.journal.intend(entry);
  await acts.written("call-1");
  expect(asked).toEqual(["with a", "announced alone"]);
});

test("the row of a call that announced nothing is kept when it ends", async () => {
  const { acts, asked } = open();
  await acts.keepWithChange(rowOf("a"));
  await acts.written("call-1");
  await acts.written("call-1");
  expect(asked).toEqual(["keeping a", "kept a"]);
});

test("a change that goes on after its call was given up waits until the row is stored", async () => {
  const keep = createGate();
  const { acts, asked } = open({ keep: keep.promise });
  await acts.keepWithChange(rowOf("a"));
  const kept = acts.written("call-1");
  const announced = acts.journal.intend(entry);
  keep.resolve();
  await Promise.all([kept, announced]);
  expect(asked).toEqual(["keeping a", "kept a", "announced alone"]);
});

test("a call that is given up while its change is announced has its row once", async () => {
  const announce = createGate();
  const { acts, asked } = open({ announce: () => announce.promise });
  await acts.keepWithChange(rowOf("a"));
  const announced = acts.journal.intend(entry);
  const kept = acts.written("call-1");
  announce.resolve();
  await Promise.all([announced, kept]);
  expect(asked).toEqual(["with a"]);
});

test("a row whose announcement failed is kept when the call ends, and goes with a later one", async () => {
  const fail = { announce: () => Promise.reject(new Error("no store")) };
  const first = open(fail);
  await first.acts.keepWithChange(rowOf("a"));
  await expect(first.acts.journal.intend(entry)).rejects.toThrow("no store");
  await first.acts.written("call-1");
  expect(first.asked).toEqual(["with a", "keeping a", "kept a"]);

  const second = open({ keep: Promise.reject(new Error("no store")) });
  await second.acts.keepWithChange(rowOf("a"));
  await expect(second.acts.written("call-1")).rejects.toThrow("no store");
  await second.acts.journal.intend(entry);
  expect(second.asked).toEqual(["keeping a", "with a"]);
});

test("each of two calls with the same id has its audit row", async () => {
  const { acts, asked } = open();
  await acts.keepWithChange(rowOf("a"));
  await acts.keepWithChange(rowOf("b"));
  await acts.journal.intend(entry);
  expect(asked).toEqual(["keeping b", "kept b", "with a"]);
});

test("nobody waits for the end of a change but who reads the journal or closes it", async () => {
  const settle = createGate();
  const { acts, asked } = open({ settle: settle.promise });
  await acts.keepWithChange(rowOf("a"));
  await acts.journal.settle(await acts.journal.intend(entry), { version: "2" });
  const reads = [
    acts.journal.history("file:///a.md", { owner: "ana" }),
    acts.journal.ofCall("call-1"),
    acts.journal.get("1"),
  ];
  const closed = acts.settled().then(() => asked.push("closed"));
  settle.resolve();
  await Promise.all([...reads, closed]);
  expect(asked.slice(0, 2)).toEqual(["with a", 'settled 1 {"version":"2"}']);
  expect(asked.slice(2).toSorted()).toEqual(["closed", "read", "read", "read"]);
});

test("an end that cannot be written down is told, and a failed change is waited for", async () => {
  const { acts, warnings } = open({ settle: Promise.reject(new Error("no store")) });
  await acts.keepWithChange(rowOf("a"));
  const id = await acts.journal.intend(entry);
  await acts.journal.settle(id, { version: "2" });
  await acts.settled();
  expect(warnings).toEqual(["the journal entry 1 of file:///a.md stays open: no store"]);
  await expect(acts.journal.settle(id, "failed")).rejects.toThrow("no store");
});
