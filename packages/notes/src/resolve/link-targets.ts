/** What a link leads to. */
export interface LinkTarget {
  readonly path: string | undefined;
  /** All paths the link could mean, best first. More than one means that it is ambiguous. */
  readonly candidates: readonly string[];
}

/** The files that links can lead to, looked up as Obsidian does. */
export interface LinkTargets {
  readonly size: number;
  add(path: string): void;
  remove(path: string): void;
  has(path: string): boolean;
  /**
   * What a link's path leads to from the note `from`.
   *
   * Contract: never throws; the answer depends only on the set of files, not on the order in which they came.
   */
  resolve(linkPath: string, from: string): LinkTarget;
}

interface Candidate {
  readonly path: string;
  /** The path as links are compared with it. */
  readonly key: string;
}

const NONE: LinkTarget = { path: undefined, candidates: [] };
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[\x00-\x7f]*$/;

/** How Obsidian compares paths: composed characters, ordinary spaces, no regard to case. */
export function pathKey(path: string): string {
  if (PLAIN.test(path)) return path.toLowerCase();
  return path
    .replaceAll(/[\u00a0\u202f]/g, " ")
    .normalize("NFC")
    .toLowerCase();
}

/**
 * Looks links up by the rules of Obsidian's `getFirstLinkpathDest`, which its users know by effect:
 * an empty path is the note itself; a name finds files of that name, `.md` added unless a file with that very
 * extension exists; `./` and `../` lead from the note's folder and nowhere else; `/` leads from the root and nowhere
 * else; a whole path beats everything; then files in the note's own folder or below; then the shortest path.
 */
export function createLinkTargets(paths: Iterable<string> = []): LinkTargets {
  const byName = new Map<string, Candidate[]>();
  const known = new Set<string>();
  /** Paths that came since the last look-up: they are put in order when one is made. */
  let fresh: string[] = [];
  let lastFrom = "";
  let lastFolder = "";

  /** Links come note by note, so the last folder is mostly the next one. */
  function folderKey(from: string): string {
    if (from !== lastFrom) {
      lastFrom = from;
      lastFolder = folderOf(pathKey(from));
    }
    return lastFolder;
  }

  function named(name: string): Candidate[] | undefined {
    if (fresh.length > 0) {
      for (const path of fresh) {
        const key = pathKey(path);
        const same = byName.get(nameOf(key));
        if (same === undefined) byName.set(nameOf(key), [{ path, key }]);
        else insert(same, { path, key });
      }
      fresh = [];
    }
    return byName.get(name);
  }

  const targets: LinkTargets = {
    get size() {
      return known.size;
    },
    add(path) {
      if (known.has(path)) return;
      known.add(path);
      fresh.push(path);
    },
    remove(path) {
      if (!known.delete(path)) return;
      const name = nameOf(pathKey(path));
      const rest = (named(name) as Candidate[]).filter((candidate) => candidate.path !== path);
      if (rest.length === 0) byName.delete(name);
      else byName.set(name, rest);
    },
    has: (path) => known.has(path),
    resolve(linkPath, from) {
      if (linkPath === "") return known.has(from) ? { path: from, candidates: [from] } : NONE;
      let key = pathKey(linkPath);
      let name = nameOf(key);
      let same = name.includes(".") ? named(name) : undefined;
      if (same === undefined) {
        key += ".md";
        name += ".md";
        same = named(name);
      }
      if (same === undefined) return NONE;
      if (name === key && same.length === 1) return found(same);
      return choose(same, key, folderKey(from));
    },
  };
  for (const path of paths) targets.add(path);
  return targets;
}

function choose(same: readonly Candidate[], key: string, folder: string): LinkTarget {
  const isRelative = key.startsWith("./") || key.startsWith("../");
  const isRooted = key.startsWith("/");
  const wanted = isRelative ? joinRelative(folder, key) : isRooted ? key.slice(1) : key;
  const exact = same.filter((candidate) => candidate.key === wanted);
  if (exact.length > 0) return found(exact);
  if (isRooted) return NONE;
  const matching = same.filter((candidate) => candidate.key.endsWith(wanted));
  const near = matching.filter((candidate) => candidate.key.startsWith(folder));
  const far = matching.filter((candidate) => !candidate.key.startsWith(folder));
  return found([...near, ...far]);
}

function found(candidates: readonly Candidate[]): LinkTarget {
  return { path: candidates[0]?.path, candidates: candidates.map(({ path }) => path) };
}

/** Keeps candidates in the order in which they are preferred: the shortest path, then by code point. */
function insert(list: Candidate[], candidate: Candidate): void {
  const at = list.findIndex((other) => precedes(candidate.path, other.path));
  list.splice(at === -1 ? list.length : at, 0, candidate);
}

function precedes(path: string, other: string): boolean {
  return path.length === other.length ? path < other : path.length < other.length;
}

function joinRelative(folder: string, key: string): string {
  let base = folder;
  let rest = key.startsWith("./../") ? key.slice(2) : key;
  if (rest.startsWith("./")) return base === "" ? rest.slice(2) : `${base}/${rest.slice(2)}`;
  while (rest.startsWith("../")) {
    rest = rest.slice(3);
    base = folderOf(base);
  }
  return base === "" ? rest : `${base}/${rest}`;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}
