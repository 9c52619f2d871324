import { scanBody } from "../markdown/block-scanner.ts";
import type { ScannedBlock, ScannedHeading, ScannedLink, ScannedTag } from "../markdown/scan.ts";
import { propertyAliases, propertyLinks, propertyTags, readFrontMatter } from "./front-matter.ts";
import type { Properties } from "./simple-yaml.ts";

/** All that a note's text says about itself and about others. */
export interface NoteScan {
  readonly properties: Properties;
  readonly aliases: readonly string[];
  /** The `title` property, or else the first heading of level one. */
  readonly title?: string;
  /** Front matter and body together, each once, in the order of the text. */
  readonly tags: readonly string[];
  /** The tags in the body, with their places. */
  readonly bodyTags: readonly ScannedTag[];
  /** Links in properties first, then those in the body in the order of the text. */
  readonly links: readonly ScannedLink[];
  readonly headings: readonly ScannedHeading[];
  readonly blocks: readonly ScannedBlock[];
  readonly bodyStart: number;
  /** Why the front matter could not be read. */
  readonly problem?: string;
}

const EMPTY: Properties = Object.freeze(Object.create(null) as Record<string, unknown>);

/** Reads a note's text. Contract: never throws, runs nothing, and takes time linear in the text. */
export function scanNote(text: string): NoteScan {
  const front = readFrontMatter(text);
  const properties = front?.properties ?? EMPTY;
  const bodyStart = front?.range.end ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const body = scanBody(text, bodyStart);
  const title = typeof properties["title"] === "string" ? properties["title"].trim() : "";
  const heading = body.headings.find(({ level }) => level === 1)?.text ?? "";
  const fromProperties = front === undefined ? [] : propertyTags(properties);
  return {
    properties,
    aliases: front === undefined ? [] : propertyAliases(properties),
    ...((title !== "" || heading !== "") && { title: title === "" ? heading : title }),
    tags: uniqueTags([...fromProperties, ...body.tags.map(({ tag }) => tag)]),
    bodyTags: body.tags,
    links: front === undefined ? body.links : [...propertyLinks(text, front), ...body.links],
    headings: body.headings,
    blocks: body.blocks,
    bodyStart,
    ...(front?.problem !== undefined && { problem: front.problem }),
  };
}

function uniqueTags(tags: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) if (!seen.has(tag.toLowerCase())) seen.set(tag.toLowerCase(), tag);
  return [...seen.values()];
}
