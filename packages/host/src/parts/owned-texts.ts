import { type Actor, formatAddress, IkigaiError } from "@ikigai/core";
import type { OwnedTexts } from "@ikigai/core/host";
import { type Assets, type BlockService, type BlockStore, blockTarget } from "@ikigai/memory";
import { ASSETS } from "../policy/host-policy.ts";

type OwnedText = ReturnType<OwnedTexts["assets"]> extends AsyncIterable<infer Text> ? Text : never;

/** Where the texts live that others copy. */
export interface OwnedTextsOptions {
  readonly assets: Pick<Assets, "list" | "read">;
  readonly blockStore: Pick<BlockStore, "list">;
  readonly blocks: Pick<BlockService, "text">;
  readonly conversations: OwnedTexts["conversations"];
}

/** Renames that are under way are kept as assets; they are nobody's text. */
const INTERNAL = "system/";

/** Assets, archival blocks and conversations as their owner sees them, for parts that copy them. */
export function createOwnedTexts({ assets, blockStore, blocks, conversations }: OwnedTextsOptions): OwnedTexts {
  return {
    assets: (owner) => assetsOf(assets, owner),
    blocks: (owner) => blocksOf(blockStore, blocks, owner),
    conversations,
  };
}

async function* assetsOf(assets: OwnedTextsOptions["assets"], owner: string): AsyncGenerator<OwnedText> {
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

async function* blocksOf(
  blockStore: OwnedTextsOptions["blockStore"],
  blocks: OwnedTextsOptions["blocks"],
  owner: string,
): AsyncGenerator<OwnedText> {
  const actor: Actor = { agent: owner, conversation: "recall", callId: "refresh", tool: "recall" };
  const known = new Set<string>();
  for (const { record } of await blockStore.list(owner)) {
    const { id, label, type, revision, description, owner: of } = record;
    if (known.has(label) || type !== "archival") continue;
    known.add(label);
    yield {
      address: blockTarget(label),
      version: `${id} ${revision}`,
      async load() {
        const content = await blocks.text(label, actor).catch(ignoreUnreadable);
        if (content === undefined) return undefined;
        const metadata = description === undefined ? {} : { description };
        return { content, label, metadata, provenance: { owner: of } };
      },
    };
  }
}

/** A text that cannot be read by this owner, or not any more, has no copy. */
function ignoreUnreadable(error: unknown): undefined {
  if (IkigaiError.is(error)) return undefined;
  throw error;
}
