import type { LogKeeper } from "@ikigai/core/host";
import type { BlockService } from "@ikigai/memory";

/** Logs as blocks of the kind Log, one for each label. */
export function createLogKeeper(blocks: Pick<BlockService, "define" | "edit">): LogKeeper {
  const known = new Set<string>();
  return {
    async append(label, entry, { maxEntries }, actor) {
      if (!known.has(label)) {
        known.add(label);
        const schema = { kind: "log", max_items: maxEntries } as const;
        await blocks.define({ label, type: "log", schema, permission: "append" }, actor);
      }
      await blocks.edit(label, { op: "append", content: entry }, actor);
    },
  };
}
