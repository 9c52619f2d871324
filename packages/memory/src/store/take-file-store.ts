import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  ASSET_CHANGES,
  ASSET_STATES,
  type AssetChangesDocument,
  type AssetDocument,
  assetId,
  ASSETS,
  type AssetStateDocument,
  stateId,
} from "./assets/asset-documents.ts";
import { createDocuments, type DocumentChange, type DocumentView } from "./documents.ts";
import { BLOCK_BYTES, type BlockBytesFile, type BlockDocumentFile, BLOCKS } from "./file-blocks.ts";
import { type BudgetDocument, BUDGETS } from "./file-budget.ts";
import type { ConversationDocument } from "./conversation-document.ts";
import { CONVERSATIONS } from "./file-conversations.ts";

/** Everything that a store in plain files keeps, but its journal and audit. */
export interface FileStoreContent {
  readonly blocks: readonly (BlockDocumentFile & BlockBytesFile)[];
  readonly budgets: readonly BudgetDocument[];
  readonly conversations: readonly ConversationDocument[];
  readonly assets: FileAssetsContent;
}

/** The assets of all owners, with their states and the changes that readers follow. */
export interface FileAssetsContent {
  readonly documents: readonly AssetDocument[];
  readonly states: readonly AssetStateDocument[];
  readonly changes: readonly AssetChangesDocument[];
}

/**
 * Hands what a store in plain files keeps to another store.
 *
 * Contract: nobody changes the files meanwhile; they go once `take` resolved, and stay as they are when it rejects. It may
 * get the same content again when the process ends between. False when there is nothing.
 */
export async function takeFileStore(
  folder: string,
  take: (content: FileStoreContent) => Promise<void>,
): Promise<boolean> {
  if (!(await hasFileStore(folder))) return false;
  return createDocuments(folder).change(async (change) => {
    const documents = await change.list<BlockDocumentFile>(BLOCKS);
    const blocks = await Promise.all(
      documents.map(async (block) => {
        const none: BlockBytesFile = { snapshots: [], updates: [] };
        return { ...block, ...((await change.get<BlockBytesFile>(BLOCK_BYTES, block.record.id)) ?? none) };
      }),
    );
    const budgets = await change.list<BudgetDocument>(BUDGETS);
    const conversations = await change.list<ConversationDocument>(CONVERSATIONS);
    const assets = await readAssets(change);
    await take({ blocks, budgets, conversations, assets });
    for (const { record } of blocks) {
      change.remove(BLOCKS, record.id);
      change.remove(BLOCK_BYTES, record.id);
    }
    for (const { agent } of budgets) change.remove(BUDGETS, agent);
    for (const { id } of conversations) change.remove(CONVERSATIONS, id);
    removeAssets(change, assets);
    return true;
  });
}

async function readAssets(view: DocumentView): Promise<FileAssetsContent> {
  return {
    documents: await view.list<AssetDocument>(ASSETS),
    states: await view.list<AssetStateDocument>(ASSET_STATES),
    changes: await view.list<AssetChangesDocument>(ASSET_CHANGES),
  };
}

function removeAssets(change: DocumentChange, { documents, states, changes }: FileAssetsContent): void {
  for (const { owner, path } of documents) change.remove(ASSETS, assetId(owner, path));
  for (const { owner, number } of states) change.remove(ASSET_STATES, stateId(owner, number));
  for (const { owner } of changes) change.remove(ASSET_CHANGES, owner);
}

/** Whether plain files keep something that another store could take. Contract: makes nothing. */
export async function hasFileStore(folder: string): Promise<boolean> {
  for (const kind of [BLOCKS, BUDGETS, CONVERSATIONS, ASSETS]) {
    const names = await readdir(join(folder, kind)).catch(() => []);
    if (names.some((name) => name.endsWith(".json"))) return true;
  }
  return false;
}
