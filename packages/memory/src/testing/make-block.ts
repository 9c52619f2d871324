import { randomUUID } from "node:crypto";
import type { BlockRecord, NewBlock } from "../blocks/block-store.ts";

const AT = new Date("2026-03-04T05:06:07.000Z");

/** A new block whose document is `text`, which a store takes for bytes. */
export function makeBlock(owner: string, label: string, text = "", more: Partial<NewBlock["record"]> = {}): NewBlock {
  return {
    record: {
      id: randomUUID(),
      owner,
      label,
      type: "core",
      schema: { kind: "text" } as unknown as BlockRecord["schema"],
      permission: "read_write",
      ...more,
    },
    change: { at: AT, agent: owner, operation: "create", frontiers: "0" },
    snapshot: new TextEncoder().encode(text),
  };
}

/** The bytes of a change by `agent`, as a commit has them. */
export function changeBy(
  agent: string,
  text: string,
): { at: Date; agent: string; operation: string; frontiers: string; bytes: Uint8Array } {
  return { at: AT, agent, operation: "append", frontiers: text, bytes: new TextEncoder().encode(text) };
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
