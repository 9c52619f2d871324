import { isDeepStrictEqual } from "node:util";
import { IkigaiError } from "@ikigai/core";
import type { Node, ParseError } from "jsonc-parser";
import { insertProperty, type JsonStyle, removeProperty, replaceValue, styleOf } from "./json-edits.ts";

type Json = Record<string, unknown>;

const BOM = "\uFEFF";

/**
 * A JSON file, comments and all, with the value at `at` set, by what is there now, or, for `undefined`, removed.
 *
 * Contract: every character outside the changed property stays as it was. Text that is not JSON with comments, or that
 * holds something else than an object where one is needed, is `invalid_input`.
 */
export async function editJson(
  text: string,
  at: readonly [string, string],
  toValue: ((now: unknown) => unknown) | undefined,
): Promise<string> {
  const { parseTree, getNodeValue } = await import("jsonc-parser");
  const body = text.startsWith(BOM) ? text.slice(1) : text;
  const source = body.trim() === "" ? "{}\n" : body;
  const tree = (json: string): Node => {
    const errors: ParseError[] = [];
    const root = parseTree(json, errors, { allowTrailingComma: true, disallowComments: false });
    const [fault] = errors;
    if (fault !== undefined) throw unreadable(`it is not JSON at character ${fault.offset}`);
    if (root?.type !== "object") throw unreadable("it does not hold an object");
    return root;
  };
  const root = tree(source);
  const before = getNodeValue(root) as Json;
  const [key, name] = at;
  const servers = propertyOf(root, key);
  if (servers !== undefined && valueOf(servers)?.type !== "object")
    throw unreadable(`"${key}" does not hold an object`);
  const own = servers && propertyOf(valueOf(servers) as Node, name);
  if (toValue === undefined && own === undefined) return text;
  const value = toValue?.(own && getNodeValue(valueOf(own) as Node));

  const after = edited(source, root, servers, own, at, value, styleOf(source));
  const { [name]: _, ...others } = (before[key] ?? {}) as Json;
  const expected = { ...before, [key]: value === undefined ? others : { ...others, [name]: value } };
  if (!isDeepStrictEqual(plain(getNodeValue(tree(after))), plain(expected))) {
    throw unreadable(`"${key}" or "${name}" is in it twice`);
  }
  return `${text.startsWith(BOM) ? BOM : ""}${after}`;
}

function edited(
  source: string,
  root: Node,
  servers: Node | undefined,
  own: Node | undefined,
  [key, name]: readonly [string, string],
  value: unknown,
  style: JsonStyle,
): string {
  if (servers === undefined) return insertProperty(source, root, key, { [name]: value }, style);
  const parent = valueOf(servers) as Node;
  if (own === undefined) return insertProperty(source, parent, name, value, style);
  if (value === undefined) return removeProperty(source, parent, own);
  return replaceValue(source, valueOf(own) as Node, value, style);
}

function propertyOf(object: Node, key: string): Node | undefined {
  return object.children?.find((property) => property.children?.[0]?.value === key);
}

function valueOf(property: Node): Node | undefined {
  return property.children?.[1];
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function unreadable(reason: string): IkigaiError {
  return new IkigaiError("invalid_input", `The configuration cannot be changed: ${reason}`, {
    hint: "Mend the file by hand, then try again.",
  });
}
