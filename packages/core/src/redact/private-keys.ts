import type { SecretSpan } from "./secret-span.ts";

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const PUTTY = /Private-Lines: \d{1,4}(?:\r?\n[A-Za-z0-9+/=]{1,128}){1,200}/g;

/** Private keys from their first line to their last, or to the end of a text that was cut. */
export function findPrivateKeys(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    END.lastIndex = begin.index;
    const end = END.exec(text) === null ? text.length : END.lastIndex;
    found.push({ name: "private-key", start: begin.index, end });
    BEGIN.lastIndex = end;
  }
  for (const { index, 0: lines } of text.matchAll(PUTTY)) {
    found.push({ name: "private-key", start: index + lines.indexOf("\n") + 1, end: index + lines.length });
  }
  return found;
}
