import { createHash } from "node:crypto";

/**
 * The number that stands for one owner's term in the index: 64 bits, as decimal text.
 *
 * An index of numbers is half as large as one of words, and no owner's key is another's.
 */
export function termKey(owner: string, term: string): string {
  return createHash("sha1").update(owner).update("\0").update(term).digest().readBigInt64BE(0).toString();
}
