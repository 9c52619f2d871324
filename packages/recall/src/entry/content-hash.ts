import { hash } from "node:crypto";

/** What makes two contents the same: their characters, whatever the white space and the Unicode form. */
export function contentHash(content: string): string {
  const plain = content.normalize("NFC").replace(/\s+/gu, " ").trim();
  return hash("sha256", plain, "hex");
}
