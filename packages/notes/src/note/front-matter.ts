import { messageOf } from "@ikigai/core";
import { LineCounter, parseDocument } from "yaml";
import { findFrontMatter, type FrontMatterRange } from "../markdown/front-matter-range.ts";
import type { ScannedLink } from "../markdown/scan.ts";
import { normaliseTag } from "../markdown/tags.ts";
import { type Properties, readSimpleYaml } from "./simple-yaml.ts";

export interface FrontMatter {
  readonly range: FrontMatterRange;
  readonly properties: Properties;
  /** Why the properties could not be read; they are empty then. */
  readonly problem?: string;
}

/** Larger front matter is left unread. */
export const MAX_FRONT_MATTER = 131_072;
const MAX_ALIASES = 100;
const MAX_DEPTH = 64;
const NO_PROPERTIES: Properties = Object.freeze(Object.create(null) as Record<string, unknown>);

/**
 * The front matter of a note, if it has one.
 *
 * Contract: never throws and runs nothing; YAML that is broken, too large, too deep or full of aliases gives no
 * properties and says why.
 */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const range = findFrontMatter(text);
  if (range === undefined) return undefined;
  const yaml = text.slice(range.yamlStart, range.yamlEnd);
  if (yaml.length > MAX_FRONT_MATTER) {
    const problem = `the front matter has ${yaml.length} characters, more than ${MAX_FRONT_MATTER}`;
    return { range, properties: NO_PROPERTIES, problem };
  }
  const simple = readSimpleYaml(yaml);
  return simple === undefined ? { range, ...readYaml(yaml) } : { range, properties: simple };
}

function readYaml(yaml: string): Omit<FrontMatter, "range"> {
  if (nestsTooDeep(yaml)) {
    return { properties: NO_PROPERTIES, problem: `the front matter nests deeper than ${MAX_DEPTH}` };
  }
  try {
    const document = parseDocument(yaml, { lineCounter: new LineCounter(), logLevel: "silent" });
    const error = document.errors[0];
    if (error !== undefined) return { properties: NO_PROPERTIES, problem: error.message };
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (value === null || value === undefined) return { properties: NO_PROPERTIES };
    if (typeof value !== "object" || Array.isArray(value)) {
      return { properties: NO_PROPERTIES, problem: "the front matter is not a list of keys and values" };
    }
    return { properties: toPlain(value) as Properties };
  } catch (error) {
    return { properties: NO_PROPERTIES, problem: messageOf(error) };
  }
}

/** A cheap bound, so that no input drives the parser's recursion far. */
function nestsTooDeep(yaml: string): boolean {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < yaml.length; i += 1) {
    const code = yaml.charCodeAt(i);
    if (code === 91 || code === 123) deepest = Math.max(deepest, (depth += 1));
    else if (code === 93 || code === 125) depth -= 1;
  }
  return deepest > MAX_DEPTH || /^(?:[ \t]*[-?:][ \t]){64}/m.test(yaml) || /^ {512}/m.test(yaml);
}

/** Copies into objects without a prototype, so that a key such as `__proto__` is only a key. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[key] = toPlain((value as Record<string, unknown>)[key]);
  return copy;
}

/** The tags that the properties name, without `#`. Text is split at commas and white space. */
export function propertyTags(properties: Properties): string[] {
  const tags: string[] = [];
  for (const value of [...listOf(properties["tags"]), ...listOf(properties["tag"])]) {
    for (const part of /[\s,]/.test(value) ? value.split(/[\s,]+/) : [value]) {
      const tag = normaliseTag(part);
      if (tag !== undefined) tags.push(tag);
    }
  }
  return tags;
}

/** The aliases that the properties name. */
export function propertyAliases(properties: Properties): string[] {
  const aliases: string[] = [];
  for (const value of [properties["aliases"], properties["alias"]]) {
    for (const alias of typeof value === "string" ? value.split(",") : listOf(value)) {
      if (alias.trim() !== "") aliases.push(alias.trim());
    }
  }
  return aliases;
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === "string" || typeof item === "number").map(String);
}

/**
 * The wikilinks in properties, in the order of the text. Like Obsidian, only a text that is one link and nothing else
 * counts; `up: [[Note]]` without quotes is a list in YAML and no link.
 */
export function propertyLinks(text: string, { range, properties }: FrontMatter): ScannedLink[] {
  const links: ScannedLink[] = [];
  let from = range.yamlStart;
  for (const raw of linkTexts(properties)) {
    const at = text.indexOf(`[[${raw}]]`, from);
    const start = at === -1 || at >= range.yamlEnd ? -1 : at;
    const end = start === -1 ? -1 : start + raw.length + 4;
    if (end !== -1) from = end;
    links.push({ kind: "property", embed: false, raw, start, end });
  }
  return links;
}

function linkTexts(value: unknown, found: string[] = []): string[] {
  if (typeof value === "string") {
    const inner = value.startsWith("[[") && value.endsWith("]]") ? value.slice(2, -2) : "";
    if (inner.trim() !== "" && !inner.includes("[[") && !inner.includes("]]")) found.push(inner);
  } else if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) linkTexts(one, found);
  }
  return found;
}
