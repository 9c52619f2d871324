/** What front matter says, as plain JSON. */
export type Properties = Readonly<Record<string, unknown>>;

const KEY = /^([A-Za-z_][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+)*):(?:[ \t]+(.*))?$/;
const ITEM = /^( *)-(?:[ \t]+(.*))?$/;
const PLAIN = /^[A-Za-z0-9_/\u00c0-\u024f\u0370-\u1fff\u3040-\u9fff\uac00-\ud7a3(][^#\n]*$/;
// Digits first and no letter that numbers cannot have.
const NUMBER_LIKE = /^[0-9][^g-np-wyzG-NP-WYZ]*$/;
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/;
const DECIMAL = /^(?:0|[1-9][0-9]{0,9})\.[0-9]{1,6}$/;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?$/;
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
  null: null,
  Null: null,
  NULL: null,
};

/** Result for YAML that the simple reader does not understand. */
const BEYOND: unique symbol = Symbol("beyond");

/**
 * Reads the plain YAML that most notes have — one key per line, words, numbers, quoted text, lists of them — at a
 * twentieth of the cost of a whole parser.
 *
 * Contract: `undefined` when there is anything it is not sure of; otherwise exactly what the whole parser gives.
 */
export function readSimpleYaml(yaml: string): Properties | undefined {
  const properties: Record<string, unknown> = {};
  const lines = yaml.split("\n");
  let list: unknown[] | undefined;
  let listKey = "";
  let listIndent = -1;
  for (const line of lines) {
    const text = line.trimEnd();
    if (text === "") {
      continue;
    }
    const item = ITEM.exec(text);
    if (item !== null) {
      if (listKey === "") return undefined;
      const indent = (item[1] as string).length;
      if (list === undefined) {
        list = [];
        listIndent = indent;
        properties[listKey] = list;
      }
      const value = item[2] === undefined ? null : readScalar(item[2]);
      if (value === BEYOND || indent !== listIndent) return undefined;
      list.push(value);
      continue;
    }
    const pair = KEY.exec(text);
    if (pair === null) return undefined;
    const key = pair[1] as string;
    if (Object.hasOwn(properties, key) || Object.hasOwn(WORDS, key) || key === "__proto__") return undefined;
    list = undefined;
    listKey = "";
    const rest = pair[2];
    if (rest === undefined || rest === "") {
      properties[key] = null;
      listKey = key;
      continue;
    }
    const value = rest.startsWith("[") ? readFlowList(rest) : readScalar(rest);
    if (value === BEYOND) return undefined;
    properties[key] = value;
  }
  return properties;
}

function readFlowList(text: string): unknown {
  if (text === "[]") return [];
  if (!text.endsWith("]")) return BEYOND;
  const inner = text.slice(1, -1);
  if (/["'[\]{}]/.test(inner)) return BEYOND;
  const items = inner.split(",").map((part) => readScalar(part.trim()));
  return items.includes(BEYOND) ? BEYOND : items;
}

function readScalar(text: string): unknown {
  const first = text[0];
  if (first === '"' || first === "'") {
    const inner = text.slice(1, -1);
    const isWhole = text.length >= 2 && text.endsWith(first);
    return isWhole && !inner.includes(first) && !inner.includes("\\") && !inner.includes("\t") ? inner : BEYOND;
  }
  if (Object.hasOwn(WORDS, text)) return WORDS[text];
  if (INTEGER.test(text) || DECIMAL.test(text)) return Number(text);
  if (DATE.test(text)) return text;
  if (NUMBER_LIKE.test(text) || !PLAIN.test(text)) return BEYOND;
  return text.includes(": ") || text.endsWith(":") || text.includes("\t") || text.includes("\r") ? BEYOND : text;
}
