import { IkigaiError } from "@ikigai/core";
import type { AssetDetails } from "@ikigai/core/assets";
import type { Transaction } from "@ikigai/database";

export function setDetails(
  tx: Transaction,
  owner: string,
  path: string,
  { description, category, readOnly, archived }: AssetDetails,
): void {
  tx.send(
    `update asset set description = coalesce($3, description), category = coalesce($4, category),
       read_only = coalesce($5, read_only), archived = coalesce($6, archived), updated_at = clock_timestamp()
     where owner = $1 and path = $2`,
    [owner, path, description ?? null, category ?? null, readOnly ?? null, archived ?? null],
  );
}

/** Contract: `permission_denied` unless the agent owns the asset. */
export function assertOwn(path: string, owner: string, agent: string): void {
  if (owner === agent) return;
  throw new IkigaiError("permission_denied", `"${path}" belongs to ${owner}, who alone can describe or archive it`, {
    hint: `Ask ${owner} to do it.`,
  });
}
