import { IkigaiError } from "@ikigai/core";
import { normaliseTag, tagKey } from "../markdown/tags.ts";
import { editProperties } from "./edit-properties.ts";
import { readFrontMatter } from "./front-matter.ts";
import { splice } from "./lines.ts";
import { scanNote } from "./scan-note.ts";

/** Adds a tag to the front matter. Unchanged when the note has the tag, wherever it stands. */
export function addTag(text: string, tag: string): string {
  const wanted = requireTag(tag);
  if (scanNote(text).tags.some((own) => tagKey(own) === tagKey(wanted))) return text;
  const { key, tags } = listedTags(text);
  return editProperties(text, { [key]: [...tags, wanted] });
}

/** Takes a tag out of the front matter and out of the body. Tags below it stay. */
export function removeTag(text: string, tag: string): string {
  const wanted = tagKey(requireTag(tag));
  const { key, tags } = listedTags(text);
  const kept = tags.filter((own) => tagKey(normaliseTag(own) ?? own) !== wanted);
  let result = text;
  if (kept.length < tags.length) result = editProperties(text, { [key]: kept.length === 0 ? null : kept });
  for (const own of scanNote(result).bodyTags.toReversed()) {
    if (tagKey(own.tag) !== wanted) continue;
    const before = result[own.start - 1];
    const takesSpace = before === " " && (result[own.end] === undefined || /\s/.test(result[own.end] as string));
    result = splice(result, takesSpace ? own.start - 1 : own.start, own.end, "");
  }
  return result;
}

/** Contract: the tag without `#`, or `invalid_input`. */
export function requireTag(tag: string): string {
  const bare = normaliseTag(tag);
  if (bare !== undefined) return bare;
  throw new IkigaiError("invalid_input", `${JSON.stringify(tag)} is not a tag`, {
    hint: "Use letters, digits, - and _, with / between levels and at least one character that is no digit.",
  });
}

function listedTags(text: string): { readonly key: string; readonly tags: readonly string[] } {
  const properties = readFrontMatter(text)?.properties;
  const key = properties?.["tags"] === undefined && properties?.["tag"] !== undefined ? "tag" : "tags";
  const value = properties?.[key];
  const items = typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return { key, tags: items.filter((item): item is string => typeof item === "string" && item !== "") };
}
