import type { ConversationStore, Message } from "@ikigai/agent";
import { type Actor, formatAddress, IkigaiError } from "@ikigai/core";
import { type Assets, type BlockService, type BlockStore, blockTarget } from "@ikigai/memory";
import type { Original, RecallKind, RecallStore } from "@ikigai/recall";
import { ASSETS } from "../policy/host-policy.ts";
import { loadPart } from "../parts/features.ts";
import { toRecallCopies } from "./to-recall-copies.ts";

/** Where the texts live that the archive searches as copies. */
export interface CopiedTexts {
  readonly recall: RecallStore;
  readonly assets: Pick<Assets, "list" | "read">;
  readonly blockStore: BlockStore;
  readonly blocks: Pick<BlockService, "text">;
  readonly conversations: Pick<ConversationStore, "list" | "messages">;
}

interface Call {
  readonly owner: string;
  readonly conversation: string;
  readonly signal: AbortSignal;
}

/** Renames that are under way are kept as assets; they are nobody's text. */
const INTERNAL = "system/";
/** Other conversations are looked through again after this time; their turns are old by nature. */
const TURNS_MS = 60_000;

/**
 * Brings the archive's copies to what the owner sees of assets, archival blocks and other conversations at this moment.
 *
 * Contract: what the owner may not see any more has no copy afterwards. The present conversation is left out: it is in
 * the context already, or its keeper has copied what no longer is. `open` gives nothing where there are no texts.
 */
export function createRecallRefresh(
  open: () => Promise<CopiedTexts | undefined>,
  now: () => number = Date.now,
): (kinds: readonly RecallKind[], call: Call) => Promise<void> {
  const looked = new Map<string, number>();
  return async (kinds, call) => {
    const texts = await open();
    if (texts === undefined) return;
    const { refreshCopies } = await loadPart("@ikigai/recall", "recall");
    const { owner, conversation, signal } = call;
    if (kinds.includes("asset")) await refreshCopies(texts.recall, "asset", assetsOf(texts, owner), call);
    if (kinds.includes("block")) await refreshCopies(texts.recall, "block", await blocksOf(texts, owner), call);
    const key = JSON.stringify([owner, conversation]);
    if (!kinds.includes("turn") || now() - (looked.get(key) ?? -TURNS_MS) < TURNS_MS) return;
    await refreshTurns(texts, owner, conversation, signal);
    looked.set(key, now());
  };
}

async function* assetsOf({ assets }: CopiedTexts, owner: string): AsyncGenerator<Original> {
  for await (const info of assets.list(owner, "")) {
    const { path, version, owner: of, category, description, updatedAt } = info;
    if (path.startsWith(INTERNAL)) continue;
    yield {
      address: formatAddress({ mount: ASSETS, path }),
      version: JSON.stringify([of, version, description]),
      async load() {
        const asset = await assets.read(owner, path).catch(ignoreUnreadable);
        return (
          asset && {
            content: asset.text,
            label: path,
            occurredAt: updatedAt,
            metadata: { category, ...(description !== "" && { description }) },
            provenance: { owner: of },
          }
        );
      },
    };
  }
}

async function blocksOf({ blockStore, blocks }: CopiedTexts, owner: string): Promise<readonly Original[]> {
  const actor: Actor = { agent: owner, conversation: "recall", callId: "refresh", tool: "recall" };
  const byLabel = new Map<string, Original>();
  for (const { record } of await blockStore.list(owner)) {
    const { id, label, type, revision, description, owner: of } = record;
    if (byLabel.has(label) || type !== "archival") continue;
    byLabel.set(label, {
      address: blockTarget(label),
      version: `${id} ${revision}`,
      async load() {
        const content = await blocks.text(label, actor).catch(ignoreUnreadable);
        if (content === undefined) return undefined;
        const metadata = description === undefined ? {} : { description };
        return { content, label, metadata, provenance: { owner: of } };
      },
    });
  }
  return [...byLabel.values()];
}

/** A text that cannot be read by this owner, or not any more, has no copy. */
function ignoreUnreadable(error: unknown): undefined {
  if (IkigaiError.is(error)) return undefined;
  throw error;
}

/** Copies carry the stamp of their conversation, its number of messages and its last moment, to tell what changed. */
async function refreshTurns(
  { recall, conversations }: CopiedTexts,
  owner: string,
  present: string,
  signal: AbortSignal,
): Promise<void> {
  const call = { owner, signal };
  const copied = new Map<string, { stamps: Set<string>; addresses: Set<string> }>();
  for (const [address, stamp] of await recall.copies("turn", call)) {
    const id = address.split("/")[3] ?? "";
    const known = copied.get(id) ?? { stamps: new Set(), addresses: new Set() };
    known.stamps.add(stamp);
    known.addresses.add(address);
    copied.set(id, known);
  }
  for (const { id, messages: count, updated_at: at } of await conversations.list(owner)) {
    const known = copied.get(id);
    copied.delete(id);
    const stamp = `${count} ${at}`;
    if (id === present || isUpToDate(known?.stamps, stamp)) continue;
    signal.throwIfAborted();
    const turns = (await conversations.messages(id)).flatMap((message: Message) => toRecallCopies(id, message));
    const fresh = turns.filter(({ address }) => known?.addresses.has(address) !== true);
    const stamped = fresh.length > 0 ? fresh : turns.slice(-1);
    await recall.mirror(
      stamped.map((turn) => ({ ...turn, version: stamp })),
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

/** After a rewind the present stamp may be an old one; then copies of a longer conversation are there as well. */
function isUpToDate(stamps: ReadonlySet<string> | undefined, stamp: string): boolean {
  if (stamps?.has(stamp) !== true) return false;
  const count = Number.parseInt(stamp, 10);
  return [...stamps].every((other) => other === stamp || Number.parseInt(other, 10) < count);
}
