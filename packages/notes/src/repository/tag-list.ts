import type { NoteRow } from "../index-store/note-row.ts";
import { parentTags, tagKey } from "../markdown/tags.ts";
import type { TagInfo } from "./knowledge-repository.ts";

/** Counts notes by tag; a note with `a/b` counts for `a` too, once. The most common spelling of a tag is shown. */
export function listTags(rows: Iterable<NoteRow>): TagInfo[] {
  const counts = new Map<string, { count: number; spellings: Map<string, number> }>();
  for (const { tags } of rows) {
    const own = new Map<string, string>();
    for (const tag of [...tags, ...tags.flatMap(parentTags)]) if (!own.has(tagKey(tag))) own.set(tagKey(tag), tag);
    for (const [key, spelling] of own) {
      let known = counts.get(key);
      if (known === undefined) counts.set(key, (known = { count: 0, spellings: new Map() }));
      known.count += 1;
      known.spellings.set(spelling, (known.spellings.get(spelling) ?? 0) + 1);
    }
  }
  const shown = new Map([...counts].map(([key, { spellings }]) => [key, mostCommon(spellings)]));
  return [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { count }]) => {
      const slash = key.lastIndexOf("/");
      const parent = slash === -1 ? undefined : shown.get(key.slice(0, slash));
      return { tag: shown.get(key) as string, count, ...(parent !== undefined && { parent }) };
    });
}

function mostCommon(spellings: ReadonlyMap<string, number>): string {
  return [...spellings].toSorted((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))[0]?.[0] as string;
}
