import { isDeepStrictEqual } from "node:util";
import type { Inserted, Metadata, NewEntry } from "../contract.ts";

/** Where and when content stands. The same content elsewhere, or at another time, is another entry. */
type Place = Pick<NewEntry, "thread" | "order" | "occurredAt">;

/** Content, place and time as one text: what two live entries of an owner never share. */
export function identityOf(hash: string, { thread, order, occurredAt }: Place): string {
  return JSON.stringify([hash, thread ?? null, order ?? null, occurredAt?.getTime() ?? null]);
}

/** Whether only content is given, so that any entry with it says the same. */
export function isPlain({ thread, order, occurredAt }: Place): boolean {
  return thread === undefined && order === undefined && occurredAt === undefined;
}

/** Answer to an insert of content that is there already. */
export function sameContent(id: string, given: Metadata | undefined, kept: Metadata): Inserted {
  const differs = given !== undefined && !isDeepStrictEqual(asJson(given), asJson(kept));
  return { id, stored: false, recognised: "same_content", ...(differs && { otherMetadata: true }) };
}

function asJson(value: Metadata): unknown {
  return JSON.parse(JSON.stringify(value));
}
