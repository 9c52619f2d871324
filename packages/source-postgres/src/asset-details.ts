import { IkigaiError } from "@ikigai/core";
import type { Transaction } from "@ikigai/database";
import type { AssetCategory, AssetDetails } from "./asset.ts";

/** The details of an asset that was just made. */
export function newDetails(path: string): Required<AssetDetails> {
  return { description: "", category: categoryOf(path), readOnly: false, archived: false };
}

/** The seed keeps skills in one folder and preferences in another. */
export function categoryOf(path: string): AssetCategory {
  const folder = path.slice(0, path.indexOf("/") + 1);
  if (folder === "skills/") return "skill";
  return folder === "preferences/" || folder === "prefs/" ? "preference" : "block";
}

const NAMES = ["description", "category", "readOnly", "archived"] as const;

/** The details that a change would set to another value, before and after. Absent: none. */
export function changedDetails(
  present: Required<AssetDetails>,
  wanted: AssetDetails,
): { readonly before: AssetDetails; readonly after: AssetDetails } | undefined {
  const changed = NAMES.filter((name) => wanted[name] !== undefined && wanted[name] !== present[name]);
  if (changed.length === 0) return undefined;
  const only = (details: AssetDetails): AssetDetails =>
    Object.fromEntries(changed.map((name) => [name, details[name]]));
  return { before: only(present), after: only(wanted) };
}

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
