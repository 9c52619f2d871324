import type { SecretSpan } from "./secret-span.ts";
import { isPlaceholder } from "./secret-values.ts";

const KIND = /\bkind\\{0,7}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,7}["']?Secret\b/g;
const DATA = /\b(?:stringData|data)\\{0,7}["']?[ \t]{0,4}:/g;
const FAR = 20_000;
const JSON_ENTRY = /["'][\w.-]{1,128}\\{0,7}["'][ \t]{0,4}:\s{0,16}\\{0,7}["'](?<secret>[^"'\\]{1,8192})\\{0,7}["']/dg;
const YAML_ENTRY = /^([ \t]+)[\w.-]{1,128}:[ \t]{1,8}["']?(?<secret>[^\s"'|>][^\n"']{0,8192}?)["']?[ \t]*$/dgm;

/** The values under `data` and `stringData` of a Kubernetes secret, in YAML and in JSON. */
export function findKubernetesSecrets(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  let done = 0;
  for (const { index } of text.matchAll(KIND)) {
    if (index < done) continue;
    const before = text.slice(Math.max(done, index - FAR), index);
    const from = index - before.length + before.lastIndexOf("\n---") + 1;
    const behind = text.slice(index, index + FAR);
    const document = text.slice(from, index) + behind.slice(0, behind.search(/\n---|$/));
    DATA.lastIndex = 0;
    for (let data = DATA.exec(document); data !== null; data = DATA.exec(document))
      DATA.lastIndex = addEntries(found, document, DATA.lastIndex, from);
    done = from + document.length;
  }
  return found;
}

/** Contract: gives where the entries end. */
function addEntries(found: SecretSpan[], document: string, at: number, offset: number): number {
  const rest = document.slice(at);
  const isJson = /^\s{0,16}\{/.test(rest);
  const ends = isJson ? rest.search(/\}|$/) : rest.search(/\n(?=[^\s#])|$/);
  for (const match of rest.slice(0, ends).matchAll(isJson ? JSON_ENTRY : YAML_ENTRY)) {
    const [start, end] = match.indices?.groups?.["secret"] ?? [0, 0];
    if (isPlaceholder(rest.slice(start, end))) continue;
    found.push({ name: "kubernetes-secret", start: offset + at + start, end: offset + at + end });
  }
  return at + ends;
}
