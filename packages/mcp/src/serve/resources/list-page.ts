import { type Address, IkigaiError, type TextEntry } from "@ikigai/core";
import { parseResourceUri, toResourceUri } from "./resource-uri.ts";
import type { ResourceCallOptions, ResourceCard } from "./resources.ts";
import type { ListsAndReads, SilentMounts } from "./silent-mounts.ts";
import { mimeTypeOf } from "./text-parts.ts";

export interface PageRequest {
  /** The mounts to list, in their order. */
  readonly mounts: readonly string[];
  /** Where the page before ended. Absent: the first page. */
  readonly cursor: string | undefined;
  readonly pageSize: number;
  readonly readerOf: (mount: string) => ListsAndReads;
  readonly silent: SilentMounts;
}

/** One page of the texts of `mounts`. Contract: `invalid_input` for a cursor that belongs to none of them. */
export async function listPage(
  { mounts, cursor, pageSize, readerOf, silent }: PageRequest,
  { actor, signal }: ResourceCallOptions,
): Promise<{ readonly items: readonly ResourceCard[]; readonly nextCursor?: string }> {
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  const start = after === undefined ? 0 : mounts.indexOf(after.mount);
  if (start === -1) throw unknownCursor();
  const items: ResourceCard[] = [];
  for (const mount of mounts.slice(start)) {
    if (silent.isLeftOut(mount)) continue;
    try {
      for await (const entry of readerOf(mount).list("", { actor, signal })) {
        if (mount === after?.mount && compare(entry.path, after.path) <= 0) continue;
        if (items.length === pageSize) return { items, nextCursor: toCursor(items.at(-1) as ResourceCard) };
        items.push(toCard({ mount, path: entry.path }, entry));
      }
      silent.answered(mount);
    } catch (error) {
      silent.leaveOut(mount, error);
    }
  }
  return { items };
}

function toCard(address: Address, { bytes }: TextEntry): ResourceCard {
  const name = address.path.split("/").at(-1) as string;
  return {
    uri: toResourceUri(address),
    name,
    mimeType: mimeTypeOf(address.path),
    ...(bytes !== undefined && { size: bytes }),
  };
}

function toCursor({ uri }: ResourceCard): string {
  return Buffer.from(uri).toString("base64url");
}

function parseCursor(cursor: string): Address {
  try {
    return parseResourceUri(Buffer.from(cursor, "base64url").toString("utf8")).address;
  } catch {
    throw unknownCursor();
  }
}

function unknownCursor(): IkigaiError {
  return new IkigaiError("invalid_input", "The cursor belongs to no list", { hint: "List again from the start." });
}

/** The order of sources is that of code points, which is the order of their bytes in UTF-8. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
