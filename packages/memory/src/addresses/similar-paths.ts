/** Names that an error suggests at most. */
const SUGGESTED = 3;

/**
 * The paths that whoever wrote `wanted` may have meant, best first.
 *
 * Contract: the same name elsewhere or with another ending, another case, and few wrong letters; at most three.
 */
export function similarPaths(wanted: string, paths: Iterable<string>): string[] {
  const ranked: { readonly path: string; readonly rank: number }[] = [];
  for (const path of paths) {
    const rank = rankOf(wanted, path);
    if (rank !== undefined) ranked.push({ path, rank });
  }
  return ranked
    .toSorted((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1))
    .slice(0, SUGGESTED)
    .map(({ path }) => path);
}

/** The less the better; absent when the two have nothing in common. */
function rankOf(wanted: string, path: string): number | undefined {
  const [a, b] = [wanted.toLowerCase(), path.toLowerCase()];
  if (a === b) return 0;
  const [name, other] = [nameOf(a), nameOf(b)];
  if (name === other) return 1;
  if (stemOf(name) === stemOf(other)) return folderOf(a) === folderOf(b) ? 1 : 2;
  const most = Math.min(2, Math.floor(Math.max(stemOf(name).length, stemOf(other).length) / 3));
  const wrong = distance(name, other, most);
  if (wrong > most) return undefined;
  return folderOf(a) === folderOf(b) ? 1 + wrong : 3 + wrong;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function stemOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

/** How many letters must change, where two neighbours that are exchanged count once. More than `most` is not counted out. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(at(row, j - 1) + 1, at(last, j) + 1, at(last, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(before, j - 2) + 1);
      row.push(least);
    }
    if (Math.min(...row) > most) return most + 1;
    before = last;
    last = row;
  }
  return at(last, b.length);
}

/** Contract: the row has that column. */
function at(row: readonly number[], column: number): number {
  return row[column] as number;
}
