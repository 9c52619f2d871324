import type { ResourceCallOptions } from "./resources.ts";
import type { ListsAndReads } from "./silent-mounts.ts";

const MAX_COMPLETIONS = 101;
/** Names that are looked at to complete one. */
const MAX_LOOKED_AT = 20_000;

/** The paths of a mount that `value` may be the beginning of, or the beginning of their last name. */
export async function completePath(
  reader: Pick<ListsAndReads, "list">,
  value: string,
  call: ResourceCallOptions,
): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of reader.list(value, call)) {
    found.push(path);
    if (found.length === MAX_COMPLETIONS) return found;
  }
  if (value === "" || value.includes("/")) return found;
  // The typed text may also be the beginning of a name in some folder.
  let looked = 0;
  const typed = value.toLowerCase();
  for await (const { path } of reader.list("", call)) {
    const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
    if (name.startsWith(typed) && !path.startsWith(value)) found.push(path);
    if (found.length === MAX_COMPLETIONS || ++looked === MAX_LOOKED_AT) break;
  }
  return found;
}
