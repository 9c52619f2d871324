import type { Finding } from "./findings.ts";

/** Findings that are known and not mended yet. Contract: each must go as soon as what it names is mended. */
const KNOWN: readonly { readonly kind: Finding["kind"]; readonly detail: RegExp }[] = [
  // The end of a link that leads to nothing is judged by the link's own name; a second name of a file is judged alone.
  { kind: "forbidden change", detail: /protected place|by a hard link|a rule or a ceiling|outside the workspace/ },
  // A NUL in the label of a block reaches the database.
  { kind: "defect", detail: /invalid byte sequence for encoding/ },
];

export function isKnown({ kind, detail }: Finding): boolean {
  return KNOWN.some((known) => known.kind === kind && known.detail.test(detail));
}
