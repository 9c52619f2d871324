import type { OwnedTexts } from "@ikigai/core/host";
import type { MirroredText, RecallStore } from "../contract.ts";
import { toRecallCopies } from "./to-recall-copies.ts";

/** Copies of what was said in other conversations. */
export interface OwnedTurns {
  readonly recall: Pick<RecallStore, "copies" | "mirror" | "unmirror">;
  readonly conversations: OwnedTexts["conversations"];
}

/**
 * Makes the copies of an owner's other conversations what these are now.
 *
 * Contract: the conversation `present` is left out. Copies carry the stamp of their conversation, its number of messages
 * and its last moment, to tell what changed.
 */
export async function refreshTurns(
  { recall, conversations }: OwnedTurns,
  owner: string,
  present: string,
  signal: AbortSignal,
): Promise<void> {
  const call = { owner, signal };
  const copied = copiesByConversation(await recall.copies("turn", call));
  for (const { id, messages: count, updated_at: at } of await conversations.list(owner)) {
    const known = copied.get(id);
    copied.delete(id);
    const stamp = `${count} ${at}`;
    if (id === present || isUpToDate(known?.stamps, stamp)) continue;
    signal.throwIfAborted();
    const turns = (await conversations.messages(id)).flatMap((message) => toRecallCopies(id, message));
    const fresh = turns.filter(({ address }) => known?.addresses.has(address) !== true);
    const stamped = fresh.length > 0 ? fresh : turns.slice(-1);
    await recall.mirror(
      stamped.map((turn): MirroredText => ({ ...turn, version: stamp })),
      call,
    );
    const kept = new Set(turns.map(({ address }) => address));
    await recall.unmirror(
      [...(known?.addresses ?? [])].filter((address) => !kept.has(address)),
      call,
    );
  }
  copied.delete(present);
  const orphans = [...copied.values()].flatMap(({ addresses }) => [...addresses]);
  if (orphans.length > 0) await recall.unmirror(orphans, call);
}

interface CopiedConversation {
  readonly stamps: Set<string>;
  readonly addresses: Set<string>;
}

function copiesByConversation(copies: ReadonlyMap<string, string>): Map<string, CopiedConversation> {
  const copied = new Map<string, CopiedConversation>();
  for (const [address, stamp] of copies) {
    const id = address.split("/")[3] ?? "";
    const known = copied.get(id) ?? { stamps: new Set(), addresses: new Set() };
    known.stamps.add(stamp);
    known.addresses.add(address);
    copied.set(id, known);
  }
  return copied;
}

/** After a rewind the present stamp may be an old one; then copies of a longer conversation are there as well. */
function isUpToDate(stamps: ReadonlySet<string> | undefined, stamp: string): boolean {
  if (stamps?.has(stamp) !== true) return false;
  const count = Number.parseInt(stamp, 10);
  return [...stamps].every((other) => other === stamp || Number.parseInt(other, 10) < count);
}
