const MAX_LABEL = 60;

/** How an entry is called where there is no room for all of it: its first line, cut between words. */
export function labelOf(content: string): string {
  const [line = ""] = content.trim().split("\n", 1);
  const flat = line
    .slice(0, 4 * MAX_LABEL)
    .replace(/\s+/g, " ")
    .trim();
  if (flat.length <= MAX_LABEL) return flat;
  const cut = flat.slice(0, MAX_LABEL);
  const space = cut.lastIndexOf(" ");
  return `${(space > MAX_LABEL / 2 ? cut.slice(0, space) : cut).toWellFormed()}…`;
}
