/** Whether the character may stand in a tag. Obsidian refuses white space and most punctuation. */
export function isTagChar(code: number): boolean {
  if (code < 128) {
    return (
      (code >= 97 && code <= 122) ||
      (code >= 65 && code <= 90) ||
      (code >= 48 && code <= 57) ||
      code === 45 ||
      code === 47 ||
      code === 95
    );
  }
  return !(
    (code >= 0x2000 && code <= 0x206f) ||
    (code >= 0x2e00 && code <= 0x2e7f) ||
    code === 0xa0 ||
    code === 0x1680 ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** The end of the tag whose `#` stands at `hash`, or `hash` when there is none. A tag needs more than digits. */
export function tagEnd(text: string, hash: number, limit: number): number {
  let end = hash + 1;
  let digitsOnly = true;
  while (end < limit) {
    const code = text.charCodeAt(end);
    if (!isTagChar(code)) break;
    if (code < 48 || code > 57) digitsOnly = false;
    end += 1;
  }
  while (end > hash + 1 && text.charCodeAt(end - 1) === 47) end -= 1;
  return digitsOnly || end === hash + 1 ? hash : end;
}

/** The tag without `#` and outer slashes, or `undefined` when Obsidian would not take it for one. */
export function normaliseTag(tag: string): string | undefined {
  let start = 0;
  let end = tag.length;
  while (start < end && (tag.charCodeAt(start) === 35 || tag.charCodeAt(start) <= 32)) start += 1;
  while (end > start && (tag.charCodeAt(end - 1) === 47 || tag.charCodeAt(end - 1) <= 32)) end -= 1;
  const bare = start === 0 && end === tag.length ? tag : tag.slice(start, end);
  return bare !== "" && tagEnd(bare, -1, bare.length) === bare.length ? bare : undefined;
}

/** Compares tags as Obsidian does: without regard to case. */
export function tagKey(tag: string): string {
  return tag.toLowerCase();
}

/** Whether `tag` is `parent` or lies below it: `a/b` lies in `a`. */
export function isTagWithin(tag: string, parent: string): boolean {
  const key = tagKey(tag);
  const above = tagKey(parent);
  return key === above || key.startsWith(`${above}/`);
}

/** The tags above `tag`, nearest first: of `a/b/c` these are `a/b` and `a`. */
export function parentTags(tag: string): string[] {
  const parents: string[] = [];
  for (let slash = tag.lastIndexOf("/"); slash > 0; slash = tag.lastIndexOf("/", slash - 1)) {
    parents.push(tag.slice(0, slash));
  }
  return parents;
}
