import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createEventLog } from "./event-log.ts";

const note = (text: string) => ({ jsonrpc: "2.0" as const, method: "note", params: { text } });

async function replayed(store: ReturnType<ReturnType<typeof createEventLog>["open"]>, id: string): Promise<unknown[]> {
  const sent: unknown[] = [];
  await store.replayEventsAfter(id, { send: async (_, message) => void sent.push(message) });
  return sent;
}

test("what follows an event on its own stream is replayed, and nothing of another stream or session", async () => {
  const log = createEventLog();
  const [mine, other] = [log.open(), log.open()];
  const first = await mine.storeEvent("a", {} as never);
  await mine.storeEvent("b", note("other stream"));
  await other.storeEvent("a", note("other session"));
  await mine.storeEvent("a", note("1"));
  const second = await mine.storeEvent("a", note("2"));
  expect(await replayed(mine, first)).toEqual([note("1"), note("2")]);
  expect(await replayed(mine, second)).toEqual([]);
  expect(await mine.getStreamIdForEventId?.(second)).toBe("a");
  expect(await other.getStreamIdForEventId?.(second)).toBeUndefined();
  await expect(replayed(other, second)).rejects.toThrow("no longer known");
  mine[Symbol.dispose]();
  expect(await mine.getStreamIdForEventId?.(second)).toBeUndefined();
});

test("whatever is dropped for room, what follows a known event is complete and in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ session: fc.nat(2), stream: fc.constantFrom("a", "b"), text: fc.string() })),
      fc.integer({ min: 200, max: 2_000 }),
      async (sent, maxChars) => {
        const log = createEventLog({ maxChars });
        const sessions = [log.open(), log.open(), log.open()] as const;
        const ids: string[] = [];
        for (const { session, stream, text } of sent) {
          ids.push((await sessions[session]?.storeEvent(stream, note(text))) ?? "");
        }
        for (const [index, { session, stream }] of sent.entries()) {
          const store = sessions[session] as (typeof sessions)[0];
          const id = ids[index] as string;
          if ((await store.getStreamIdForEventId?.(id)) === undefined) continue;
          const later = sent.slice(index + 1).filter((one) => one.session === session && one.stream === stream);
          expect(await replayed(store, id)).toEqual(later.map(({ text }) => note(text)));
        }
      },
    ),
  );
});
