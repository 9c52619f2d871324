import { type Actor, type BlockInfo, IkigaiError, type MemoryPermission } from "@ikigai/core";
import { lowerPermission } from "@ikigai/core/host";
import { assertPermitted, permissionFor } from "./block-access.ts";
import type { BlockOperations } from "./block-operations.ts";
import type { VisibleBlock } from "./block-store.ts";

/** Who else sees a block, and how far they may change it. */
export interface BlockSharing {
  /**
   * Lets another agent see the block, and change it as far as `permission` says, never further than one's own.
   *
   * Contract: the owner may whatever the block's permission is; anybody else needs `admin`.
   */
  share(place: string, agent: string, permission: MemoryPermission, actor: Actor): Promise<BlockInfo>;
  unshare(place: string, agent: string, actor: Actor): Promise<BlockInfo>;
}

export function createBlockSharing(operations: BlockOperations): BlockSharing {
  const { store, sources } = operations;

  async function findSharable(place: string, actor: Actor): Promise<VisibleBlock> {
    const visible = await operations.get(place, actor);
    // An owner needs no permission of the block's own to share it: that says how far the text is open.
    if (visible.shared !== undefined) {
      assertPermitted(visible.record.label, permissionFor(visible, sources), "admin");
    }
    return visible;
  }

  return {
    async share(place, agent, permission, actor) {
      const visible = await findSharable(place, actor);
      const { id, owner, label } = visible.record;
      if (agent === owner)
        throw new IkigaiError("invalid_input", `"${label}" belongs to ${owner} already`, {
          hint: "Share it with another agent.",
        });
      const granted = lowerPermission(permission, permissionFor(visible, sources));
      await store.share(id, agent, granted);
      return operations.infoOf(visible, actor);
    },
    async unshare(place, agent, actor) {
      const visible = await findSharable(place, actor);
      const { id, label } = visible.record;
      if (!(await store.share(id, agent, undefined))) {
        throw new IkigaiError("not_found", `"${label}" is not shared with ${agent}`, {
          hint: "Check the name of the agent.",
        });
      }
      return operations.infoOf(visible, actor);
    },
  };
}
