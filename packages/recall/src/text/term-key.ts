import { hash } from "node:crypto";

/**
 * The number that stands for one owner's term in the index: 64 bits, as decimal text.
 *
 * An index of numbers is half as large as one of words, no owner's key is another's, and each kind has its own.
 */
export function termKey(owner: string, kind: string, term: string): string {
  const digits = hash("sha1", `${owner}\0${kind}\0${term}`, "hex").slice(0, 16);
  return BigInt.asIntN(64, BigInt(`0x${digits}`)).toString();
}
