import type { TextRevision } from "@ikigai/core";
import type { Pin } from "../../pins/pins.ts";
import type { DocumentChange, Documents } from "../documents.ts";
import { type BudgetDocument, BUDGETS } from "../file-budget.ts";
import {
  ASSET_CHANGES,
  ASSET_STATES,
  type AssetChangeRow,
  type AssetChangesDocument,
  type AssetStateDocument,
  readAssetDocument,
  stateId,
} from "./asset-documents.ts";

/** States of one asset that are kept, the present one included. */
export const MAX_STATES = 100;
/** Changes of an owner's assets that a reader who was away can still be told. */
export const MAX_CHANGES = 200;

/** The states of a path, newest first; those before a removal are in it. */
export async function* readRevisions(documents: Documents, owner: string, path: string): AsyncGenerator<TextRevision> {
  const states = await documents.look(async (view) => (await readAssetDocument(view, owner, path)).states);
  for (const number of states.toReversed()) {
    const state = await documents.look((view) => view.get<AssetStateDocument>(ASSET_STATES, stateId(owner, number)));
    if (state === undefined) continue;
    const { text, author, reason, at } = state;
    yield {
      version: String(number),
      at: new Date(at),
      text,
      author,
      ...(reason !== undefined && { message: reason }),
    };
  }
}

/** Adds a state to those of an asset. Contract: the oldest goes when there are too many, unless a context shows it. */
export async function addState(
  change: DocumentChange,
  state: AssetStateDocument,
  states: readonly number[],
  uri: string,
): Promise<readonly number[]> {
  const { owner, number } = state;
  change.set(ASSET_STATES, stateId(owner, number), state);
  const all = [...states, number];
  if (all.length <= MAX_STATES) return all;
  const budgets = await change.list<BudgetDocument>(BUDGETS);
  const isShown = (one: number): boolean =>
    budgets.some(({ pins }) => pins.some((pin: Pin) => pin.uri === uri && pin.version === String(one)));
  const gone = new Set(all.slice(0, all.length - MAX_STATES).filter((one) => !isShown(one)));
  for (const one of gone) change.remove(ASSET_STATES, stateId(owner, one));
  return all.filter((one) => !gone.has(one));
}

/**
 * Gives a change of an owner's assets the next number, and adds it to those that readers follow.
 *
 * Contract: the oldest goes when there are too many.
 */
export async function addChange(
  change: DocumentChange,
  owner: string,
  row: Omit<AssetChangeRow, "number">,
): Promise<number> {
  const known = await change.get<AssetChangesDocument>(ASSET_CHANGES, owner);
  const number = (known?.number ?? 0) + 1;
  const rows = [...(known?.rows ?? []), { ...row, number }].slice(-MAX_CHANGES);
  change.set(ASSET_CHANGES, owner, { owner, number, rows } satisfies AssetChangesDocument);
  return number;
}
