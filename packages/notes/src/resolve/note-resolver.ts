import { compareCodePoints, IkigaiError } from "@ikigai/core";
import { type NoteGraph, nameKey } from "../index-store/note-graph.ts";
import type { NoteIndex } from "../index-store/note-index.ts";
import { isNotePath, type NoteRow } from "../index-store/note-row.ts";
import { folderOf, pathKey } from "./link-targets.ts";
import { type NoteReference, parseReference } from "./reference.ts";

/** A note that a reference could mean. */
export interface NoteCandidate {
  readonly name: string;
  /** The folder it lies in, with its mount when it is an address: `file:///projects`. */
  readonly folder: string;
  readonly uri: string;
  readonly modifiedAt?: Date;
  readonly bytes?: number;
}

/** The one note that a reference means, and the place in it. */
export interface ResolvedNote extends NoteCandidate {
  readonly headings: readonly string[];
  readonly block?: string;
  readonly version: string;
}

/** Finds notes by name. */
export interface NoteResolver {
  /**
   * The note that `reference` means.
   *
   * Contract: tries the exact path, then the name, then alias or title, then the same without regard to case and
   * composition; the first step with a match decides, and there a note that can be changed goes before one that can only
   * be read, such as the same note in an older commit. Several matches are `ambiguous`, none is `not_found`; both carry
   * `error_type`, `note_name` and, where there are candidates, `match_count` and `candidates`.
   */
  resolve(reference: string): Promise<ResolvedNote>;
  /** Every note the reference could mean, best step first. Contract: empty when there is none. */
  findMatches(reference: string): Promise<readonly NoteCandidate[]>;
  /** Whether a new note may have this name: nothing lies there yet, also not in another case. */
  isAvailable(name: string, folder?: string): Promise<boolean>;
}

const MAX_CANDIDATES = 20;
const MAX_SUGGESTIONS = 5;

export interface NoteResolverOptions {
  /** Whether a note can be changed. Default: every note can. */
  readonly isWritable?: (uri: string) => boolean;
}

export function createNoteResolver(
  index: NoteIndex,
  { isWritable = () => true }: NoteResolverOptions = {},
): NoteResolver {
  const { graph } = index;
  return {
    async resolve(reference) {
      await index.ready();
      const parsed = parseReference(reference);
      const all = firstMatches(graph, parsed);
      const changeable = all.length > 1 ? all.filter(({ uri }) => isWritable(uri)) : all;
      const matches = changeable.length > 0 ? changeable : all;
      const [row] = matches;
      if (row === undefined) throw notFound(graph, parsed);
      if (matches.length > 1) throw ambiguous(parsed, matches);
      const { headings, block } = parsed;
      return { ...toCandidate(row), headings, ...(block !== undefined && { block }), version: row.version };
    },
    async findMatches(reference) {
      await index.ready();
      const rows = new Set([...steps(graph, parseReference(reference))].flat());
      return [...rows].map(toCandidate);
    },
    async isAvailable(name, folder) {
      await index.ready();
      const parsed = parseReference(folder === undefined || folder === "" ? name : `${folder}/${name}`);
      const key = pathKey(withExtension(parsed.path));
      const mounts = parsed.mount === undefined ? graph.mounts() : [parsed.mount];
      return !mounts.some((mount) => {
        const same = graph.named(nameKey(parsed.path)).filter((row) => row.mount === mount);
        return same.some((row) => pathKey(row.path) === key) || graph.hasFile(mount, withExtension(parsed.path));
      });
    },
  };
}

function firstMatches(graph: NoteGraph, reference: NoteReference): readonly NoteRow[] {
  for (const step of steps(graph, reference)) if (step.length > 0) return step;
  return [];
}

/** The steps in their order, each with what it matches; none is taken before it is asked for. */
function* steps(graph: NoteGraph, reference: NoteReference): Generator<readonly NoteRow[]> {
  const { mount, path, name, folder } = reference;
  if (name === "") return;
  const named = graph.named(nameKey(path));
  const all = mount === undefined ? named : named.filter((row) => row.mount === mount);
  const file = withExtension(path);
  yield all.filter((row) => row.path === file);
  if (mount !== undefined) return;
  const inFolder = folder === undefined ? all : all.filter((row) => endsWithSegments(folderOf(row.path), folder));
  yield inFolder.filter((row) => row.name === name);
  const title = folder === undefined ? name : path;
  yield all.filter((row) => titles(row).includes(title));
  const folded = pathKey(file);
  const foldedName = pathKey(name);
  const foldedFolder = folder === undefined ? undefined : pathKey(folder);
  yield all.filter((row) => pathKey(row.path) === folded);
  yield all.filter(
    (row) =>
      pathKey(row.name) === foldedName &&
      (foldedFolder === undefined || endsWithSegments(pathKey(folderOf(row.path)), foldedFolder)),
  );
  const foldedPath = pathKey(path);
  yield all.filter((row) =>
    titles(row).some((one) => {
      const key = pathKey(one);
      return key === foldedPath || (folder === undefined && key === foldedName);
    }),
  );
}

function titles(row: NoteRow): readonly string[] {
  return row.title === undefined ? row.aliases : [row.title, ...row.aliases];
}

/** Whether `folder` is `wanted` or ends with it, by whole segments. */
function endsWithSegments(folder: string, wanted: string): boolean {
  return folder === wanted || folder.endsWith(`/${wanted}`);
}

function withExtension(path: string): string {
  return isNotePath(path) ? path : `${path}.md`;
}

export function toCandidate(row: NoteRow): NoteCandidate {
  return {
    name: row.name,
    folder: `${row.mount}:///${folderOf(row.path)}`,
    uri: row.uri,
    ...(row.modifiedAt !== undefined && { modifiedAt: new Date(row.modifiedAt) }),
    ...(row.bytes !== undefined && { bytes: row.bytes }),
  };
}

function ambiguous(reference: NoteReference, matches: readonly NoteRow[]): IkigaiError {
  const rows = matches.toSorted((one, other) => compareCodePoints(one.uri, other.uri)).slice(0, MAX_CANDIDATES);
  const candidates = rows.map((row) => {
    const { name, folder, uri, modifiedAt } = toCandidate(row);
    return { name, folder, uri, ...(modifiedAt && { modified_at: modifiedAt.toISOString() }) };
  });
  const places = candidates.map(({ uri, modified_at: at }) => (at === undefined ? uri : `${uri} (changed ${at})`));
  return new IkigaiError("ambiguous", `Ambiguous note reference '${reference.path}': ${matches.length} matches`, {
    hint: `Name the folder too. Candidates are: ${places.join(", ")}.`,
    details: { error_type: "ambiguous", note_name: reference.path, match_count: matches.length, candidates },
  });
}

function notFound(graph: NoteGraph, reference: NoteReference): IkigaiError {
  const suggestions = suggest(graph, reference.name);
  return new IkigaiError("not_found", `Note not found: ${reference.path}`, {
    hint: suggestions.length === 0 ? "Search for it, or create it." : `Similar names are: ${suggestions.join(", ")}.`,
    details: { error_type: "not_found", note_name: reference.path, suggestions },
  });
}

function suggest(graph: NoteGraph, name: string): string[] {
  const key = pathKey(name);
  const found: string[] = [];
  if (key.length < 2) return found;
  for (const row of graph.rows()) {
    const own = pathKey(row.name);
    if (own.includes(key) || (own.length > 2 && key.includes(own))) found.push(row.name);
    if (found.length >= MAX_SUGGESTIONS) break;
  }
  return found;
}
