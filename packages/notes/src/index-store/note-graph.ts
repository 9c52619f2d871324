import { createLinkTargets, type LinkTargets, nameOf, pathKey } from "../resolve/link-targets.ts";
import { isNotePath, type NoteLink, type NoteRow } from "./note-row.ts";

/** A link with both its ends. */
export interface GraphLink {
  readonly from: string;
  readonly link: NoteLink;
  /** Address of what the link leads to. */
  readonly to: string;
}

/** The notes that are known, by name, alias and link. All answers come from memory. */
export interface NoteGraph {
  readonly size: number;
  rows(): IterableIterator<NoteRow>;
  get(uri: string): NoteRow | undefined;
  /** Adds a note, or takes its place. */
  set(row: NoteRow): void;
  delete(uri: string): void;
  /** Makes a file known that is no note, so that links can lead to it. */
  addFile(mount: string, path: string): void;
  deleteFile(mount: string, path: string): void;
  hasFile(mount: string, path: string): boolean;
  /** Every file of a mount, notes included. */
  files(mount: string): Iterable<string>;
  mounts(): readonly string[];
  /** The notes whose name, alias or title has this key. See {@link nameKey}. */
  named(key: string): readonly NoteRow[];
  /**
   * Where a link leads: an address as it is, else as Obsidian does within the note's own mount, else by the same rules
   * in the other mounts, else to the only note with that alias or title.
   */
  resolve(target: string, from: NoteRow): string | undefined;
  /** Links that lead to `uri`, those of the note to itself left out. */
  backlinks(uri: string): GraphLink[];
  /** Links that lead somewhere. */
  forwardLinks(uri: string): GraphLink[];
  /** The notes that hold a link whose last part has this key. */
  linkers(key: string): readonly NoteRow[];
  /** What links of one mount can lead to. */
  targets(mount: string): LinkTargets;
}

/** How names are compared in the end: the last part of the path, without `.md`, case and composition. */
export function nameKey(path: string): string {
  const name = pathKey(nameOf(path));
  return name.endsWith(".md") ? name.slice(0, -3) : name;
}

export function createNoteGraph(): NoteGraph {
  const rows = new Map<string, NoteRow>();
  const files = createFileSets();
  const names = createRowIndex(rows, keysOf);
  const links = createRowIndex(rows, (row) => row.links.map(({ target }) => nameKey(target)));
  const rowsOf = (entry: KeyEntry | undefined): readonly NoteRow[] =>
    entry?.uris.map((uri) => rows.get(uri) as NoteRow) ?? [];
  const forget = (uri: string): void => {
    names.remove(uri);
    links.remove(uri);
  };
  const graph: NoteGraph = {
    get size() {
      return rows.size;
    },
    rows: () => rows.values(),
    get: (uri) => rows.get(uri),
    set(row) {
      const old = rows.get(row.uri);
      if (old !== undefined) forget(old.uri);
      rows.set(row.uri, row);
      names.add(row);
      links.add(row);
      graph.addFile(row.mount, row.path);
    },
    delete(uri) {
      const row = rows.get(uri);
      if (row === undefined) return;
      forget(uri);
      rows.delete(uri);
      graph.deleteFile(row.mount, row.path);
    },
    ...files.members,
    named: (key) => rowsOf(names.get(key)),
    linkers: (key) => rowsOf(links.get(key)),
    resolve(target, from) {
      const path = files.resolve(target, from);
      if (path !== undefined || ADDRESS.test(target)) return path;
      const named = target === "" ? [] : graph.named(nameKey(target)).filter((row) => hasAlias(row, target));
      return named.length === 1 ? (named[0] as NoteRow).uri : undefined;
    },
    backlinks(uri) {
      const row = rows.get(uri);
      const keys = row === undefined ? [nameKey(uri)] : keysOf(row);
      const wanted = keys.flatMap((key) => links.get(key) ?? []);
      const linkers = new Set(wanted.flatMap((entry) => entry.uris));
      linkers.delete(uri);
      return [...linkers].flatMap((from) => linksTo(graph, links, rows.get(from) as NoteRow, wanted, uri));
    },
    forwardLinks(uri) {
      const row = rows.get(uri);
      if (row === undefined) return [];
      return row.links.flatMap((link) => {
        const to = graph.resolve(link.target, row);
        return to === undefined ? [] : [{ from: uri, link, to }];
      });
    },
  };
  return graph;
}

const ADDRESS = /^([a-z][a-z0-9-]*):\/\/\/(.+)$/;

/** The files of each mount, notes included. */
interface FileSets {
  readonly members: Pick<NoteGraph, "addFile" | "deleteFile" | "hasFile" | "files" | "mounts" | "targets">;
  /** Where a link leads by address or path: in the note's own mount first, then in the others. */
  resolve(target: string, from: NoteRow): string | undefined;
}

function createFileSets(): FileSets {
  const sets = new Map<string, { targets: LinkTargets; paths: Set<string> }>();
  const setOf = (mount: string): { targets: LinkTargets; paths: Set<string> } => {
    let set = sets.get(mount);
    if (set === undefined) sets.set(mount, (set = { targets: createLinkTargets(), paths: new Set() }));
    return set;
  };
  const inMount = (mount: string, path: string): string | undefined => {
    const paths = sets.get(mount)?.paths;
    if (paths?.has(path)) return `${mount}:///${path}`;
    return paths?.has(`${path}.md`) ? `${mount}:///${path}.md` : undefined;
  };
  return {
    members: {
      addFile(mount, path) {
        const set = setOf(mount);
        if (set.paths.has(path)) return;
        set.paths.add(path);
        set.targets.add(path);
      },
      deleteFile(mount, path) {
        const set = sets.get(mount);
        set?.paths.delete(path);
        set?.targets.remove(path);
      },
      hasFile: (mount, path) => sets.get(mount)?.paths.has(path) ?? false,
      files: (mount) => sets.get(mount)?.paths ?? [],
      mounts: () => [...sets.keys()],
      targets: (mount) => setOf(mount).targets,
    },
    resolve(target, from) {
      const address = ADDRESS.exec(target);
      if (address !== null) return inMount(address[1] as string, address[2] as string);
      const own = sets.get(from.mount)?.targets.resolve(target, from.path).path;
      if (own !== undefined) return `${from.mount}:///${own}`;
      for (const [mount, { targets }] of sets) {
        const path = mount === from.mount ? undefined : targets.resolve(target, "").path;
        if (path !== undefined) return `${mount}:///${path}`;
      }
      return undefined;
    },
  };
}

/** The links of a note that lead to `uri`, of those whose keys are wanted. */
function linksTo(
  graph: NoteGraph,
  links: RowIndex,
  row: NoteRow,
  wanted: readonly KeyEntry[],
  uri: string,
): GraphLink[] {
  const found: GraphLink[] = [];
  const own = links.entriesOf(row.uri);
  for (let at = 0; at < own.length; at += 1) {
    if (!wanted.includes(own[at] as KeyEntry)) continue;
    const link = row.links[at] as NoteLink;
    if (graph.resolve(link.target, row) === uri) found.push({ from: row.uri, link, to: uri });
  }
  return found;
}

/** The notes by keys of theirs, such as names or the names that their links lead to. */
interface RowIndex {
  add(row: NoteRow): void;
  remove(uri: string): void;
  get(key: string): KeyEntry | undefined;
  /** The entries that a note stands in, in the order of its keys. */
  entriesOf(uri: string): readonly KeyEntry[];
}

/** An index that is made when it is first asked for, so that a start with stored rows need not wait for it. */
function createRowIndex(rows: ReadonlyMap<string, NoteRow>, keys: (row: NoteRow) => readonly string[]): RowIndex {
  const index = createKeyIndex();
  const entries = new Map<string, readonly KeyEntry[]>();
  let isMade = false;

  function put(row: NoteRow): void {
    entries.set(
      row.uri,
      keys(row).map((key) => index.add(key, row.uri)),
    );
  }

  return {
    add(row) {
      if (isMade) put(row);
    },
    remove(uri) {
      for (const entry of new Set(entries.get(uri))) index.remove(entry, uri);
      entries.delete(uri);
    },
    get(key) {
      if (!isMade) for (const row of rows.values()) put(row);
      isMade = true;
      return index.get(key);
    },
    entriesOf: (uri) => entries.get(uri) ?? [],
  };
}

function keysOf(row: NoteRow): string[] {
  const titles = row.title === undefined ? row.aliases : [row.title, ...row.aliases];
  return titles.length === 0 ? [nameKey(row.path)] : [...new Set([row.path, ...titles].map(nameKey))];
}

function hasAlias(row: NoteRow, name: string): boolean {
  const key = pathKey(name);
  return [row.title ?? "", ...row.aliases].some((alias) => pathKey(alias) === key) && isNotePath(row.path);
}

/** A key and the notes that have it. */
interface KeyEntry {
  readonly key: string;
  uris: string[];
}

/** Notes by key. Most keys have one or a few. */
function createKeyIndex(): {
  add(key: string, uri: string): KeyEntry;
  remove(entry: KeyEntry, uri: string): void;
  get(key: string): KeyEntry | undefined;
} {
  const index = new Map<string, KeyEntry>();
  return {
    add(key, uri) {
      let entry = index.get(key);
      if (entry === undefined) index.set(key, (entry = { key, uris: [uri] }));
      // A note's keys come together, so that a repeated one can only be the last.
      else if (entry.uris.at(-1) !== uri) entry.uris.push(uri);
      return entry;
    },
    remove(entry, uri) {
      entry.uris = entry.uris.filter((one) => one !== uri);
      if (entry.uris.length === 0 && index.get(entry.key) === entry) index.delete(entry.key);
    },
    get: (key) => index.get(key),
  };
}
