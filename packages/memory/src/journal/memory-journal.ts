import { IkigaiError } from "@ikigai/core";
import { callOf, type Journal, type JournalRecord } from "./journal.ts";

const LIMIT = 50;

/** A journal that ends with the process. */
export function createMemoryJournal(clock: () => Date = () => new Date()): Journal {
  const records = new Map<string, JournalRecord>();
  return {
    async intend({ actor, ...entry }) {
      const id = String(records.size + 1);
      const call = callOf(actor);
      records.set(id, { ...entry, ...call, id, at: clock(), state: "intended" });
      return id;
    },
    async settle(id, end) {
      const record = records.get(id);
      if (record?.state !== "intended") return;
      if (end === "failed") records.set(id, { ...record, state: "failed" });
      else {
        const after = record.after && { ...record.after, version: end.version ?? record.after.version };
        records.set(id, { ...record, ...(after !== undefined && { after }), state: "done" });
      }
    },
    async history(uri, { owner, limit = LIMIT }) {
      const found = [...records.values()].filter(
        (one) => one.uri === uri && one.owner === owner && one.state !== "failed",
      );
      return found.toReversed().slice(0, limit);
    },
    async ofCall(callId) {
      return [...records.values()].filter((one) => one.callId === callId && one.state === "done").toReversed();
    },
    async get(id) {
      const record = records.get(id);
      if (record !== undefined) return record;
      throw new IkigaiError("not_found", `The journal has no entry ${JSON.stringify(id)}`, {
        hint: "Use an id that the history shows.",
      });
    },
    pruned: async () => undefined,
  };
}
