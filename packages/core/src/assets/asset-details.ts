export type AssetCategory = "block" | "skill" | "preference";

/** What of an asset can be set besides its text. */
export interface AssetDetails {
  readonly description?: string;
  readonly category?: AssetCategory;
  readonly readOnly?: boolean;
  readonly archived?: boolean;
}

/** The details of an asset that was just made. */
export function newAssetDetails(path: string): Required<AssetDetails> {
  return { description: "", category: categoryOf(path), readOnly: false, archived: false };
}

/** The seed keeps skills in one folder and preferences in another. */
function categoryOf(path: string): AssetCategory {
  const folder = path.slice(0, path.indexOf("/") + 1);
  if (folder === "skills/") return "skill";
  return folder === "preferences/" || folder === "prefs/" ? "preference" : "block";
}

const NAMES = ["description", "category", "readOnly", "archived"] as const;

/** The details that a change would set to another value, before and after. Absent: none. */
export function changedAssetDetails(
  present: Required<AssetDetails>,
  wanted: AssetDetails,
): { readonly before: AssetDetails; readonly after: AssetDetails } | undefined {
  const changed = NAMES.filter((name) => wanted[name] !== undefined && wanted[name] !== present[name]);
  if (changed.length === 0) return undefined;
  const only = (details: AssetDetails): AssetDetails =>
    Object.fromEntries(changed.map((name) => [name, details[name]]));
  return { before: only(present), after: only(wanted) };
}

/** Whether a change touches what read-only protects: making an asset read-only, writable or archived does not. */
export function describesAsset({ description, category, readOnly }: AssetDetails): boolean {
  return readOnly !== false && (description !== undefined || category !== undefined);
}
