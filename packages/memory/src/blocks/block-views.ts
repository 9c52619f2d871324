import type { Actor, BlockInfo } from "@ikigai/core";
import type { BlockOperations } from "./block-operations.ts";
import type { Viewport } from "./block-store.ts";
import { textOf } from "./document/block-document.ts";
import { renderView } from "./render-block.ts";

/** What one agent has of a block in its context. Contract: nothing here changes the block or what others see of it. */
export interface BlockViews {
  /** What the agent sees of it in its context: the lines of its viewport. */
  view(place: string, actor: Actor): Promise<string>;
  pin(place: string, actor: Actor): Promise<BlockInfo>;
  unpin(place: string, actor: Actor): Promise<BlockInfo>;
  /** Contract: only this agent's view changes; `undefined` shows the whole text again. */
  setViewport(place: string, viewport: Viewport | undefined, actor: Actor): Promise<BlockInfo>;
}

export function createBlockViews(operations: BlockOperations): BlockViews {
  const { store, shelf } = operations;

  async function setPinned(place: string, pinned: boolean, actor: Actor): Promise<BlockInfo> {
    const visible = await operations.get(place, actor);
    const { id, label } = visible.record;
    if (pinned) await operations.assertFits(actor.agent, label, await shelf.read(visible.record, textOf));
    await store.setView(actor.agent, id, { ...(await store.view(actor.agent, id)), pinned });
    return operations.infoOf(visible, actor);
  }

  return {
    async view(place, actor) {
      const { record } = await operations.get(place, actor);
      const { viewport } = await store.view(actor.agent, record.id);
      return renderView(await shelf.read(record, textOf), viewport);
    },
    pin: (place, actor) => setPinned(place, true, actor),
    unpin: (place, actor) => setPinned(place, false, actor),
    async setViewport(place, viewport, actor) {
      const visible = await operations.get(place, actor);
      const { id } = visible.record;
      const { pinned } = await store.view(actor.agent, id);
      await store.setView(actor.agent, id, { pinned, ...(viewport !== undefined && { viewport }) });
      return operations.infoOf(visible, actor);
    },
  };
}
