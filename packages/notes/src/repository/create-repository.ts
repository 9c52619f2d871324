import { compareCodePoints, IkigaiError, type SourceCallOptions } from "@ikigai/core";
import { withHint } from "@ikigai/core/host";
import type { GraphLink, NoteGraph } from "../index-store/note-graph.ts";
import { requireRow } from "../index-store/require-row.ts";
import { type NoteRow, noteName } from "../index-store/note-row.ts";
import { isTagWithin } from "../markdown/tags.ts";
import { addTag, removeTag, requireTag } from "../note/edit-tags.ts";
import { parseNote } from "../note/note.ts";
import { applyRename } from "../rename/apply-rename.ts";
import { createMemoryIntentStore } from "../rename/intent-store.ts";
import { planRename, renameTouches } from "../rename/plan-rename.ts";
import { createNoteResolver, type NoteResolver } from "../resolve/note-resolver.ts";
import { createNoteSearch, type NoteSearch } from "../search/note-search.ts";
import { matchesProperties } from "../search/property-filter.ts";
import { snippetOf } from "../search/snippet.ts";
import type { VectorIndex } from "../search/vector-index.ts";
import type {
  KnowledgeRepository,
  KnowledgeRepositoryOptions,
  LinkEnd,
  NoteMetadata,
  ReadNote,
  SearchResult,
} from "./knowledge-repository.ts";
import { defaultHome, isWritable, joinAddress, noteAddress } from "./note-location.ts";
import { createNoteWriter } from "./note-writer.ts";
import { findRelatedRows } from "./related.ts";
import { listTags } from "./tag-list.ts";

const LIMIT = 10;

/** What the members of a repository share. */
interface RepositoryContext {
  readonly options: KnowledgeRepositoryOptions;
  readonly resolver: NoteResolver;
  readonly search: NoteSearch;
  /** The folder in which new notes are made. */
  readonly home: () => string;
  readonly canWrite: (uri: string) => boolean;
}

export function createKnowledgeRepository(options: KnowledgeRepositoryOptions): KnowledgeRepository {
  const { sources, index } = options;
  const canWrite = (uri: string): boolean => isWritable(sources, uri);
  const resolver = createNoteResolver(index, { isWritable: canWrite });
  const writer = createNoteWriter(sources, index);
  const search = createNoteSearch(sources, index, options);
  const home = (): string => options.home ?? defaultHome(sources, index.graph);
  const context: RepositoryContext = { options, resolver, search, home, canWrite };
  return {
    resolver,
    mounts: () => index.mounts(),
    ...findNotes(context),
    createNote: ({ uri }, content, call) => writer.create(uri, content, call),
    updateNote: ({ uri }, edit, call) => writer.edit(uri, typeof edit === "string" ? () => edit : edit, call),
    deleteNote: ({ uri }, call) => writer.remove(uri, call),
    ...renameNotes(context),
    ...describeNotes(context),
    ...searchNotes(context),
    addTag: ({ uri }, tag, call) => writer.edit(uri, (text) => addTag(text, tag), call),
    removeTag: ({ uri }, tag, call) => writer.edit(uri, (text) => removeTag(text, tag), call),
  };
}

type Finding = "readNote" | "getNoteByName" | "listNotes" | "locate";

function findNotes({
  options: { sources, index },
  resolver,
  home,
}: RepositoryContext): Pick<KnowledgeRepository, Finding> {
  const { graph } = index;

  async function read(reference: string, call: SourceCallOptions): Promise<ReadNote> {
    const location = await resolver.resolve(reference);
    const { address, source } = sources.route(location.uri);
    const content = await source.read(address.path, call);
    if (content === undefined) {
      await index.noteChanged(location.uri);
      throw new IkigaiError("not_found", `Note not found: ${reference}`, {
        hint: "It was removed; list the notes to see which there are.",
        details: { error_type: "not_found", note_name: reference },
      });
    }
    if (content.version !== location.version) await index.noteChanged(location.uri);
    return { ...parseNote(content.text), location, ...content };
  }

  return {
    readNote: (reference, call = {}) => read(reference, call),
    getNoteByName: (reference, call = {}) =>
      read(reference, call).catch((error: unknown) => {
        if (IkigaiError.is(error, "not_found")) return undefined;
        throw error;
      }),
    async listNotes(path = "") {
      await index.ready();
      const within = path === "" ? undefined : joinAddress(path, home(), sources);
      const rows = [...graph.rows()].filter(
        (row) =>
          within === undefined ||
          (row.mount === within.mount && (within.path === "" || row.path.startsWith(`${within.path}/`))),
      );
      return rows.toSorted((one, other) => compareCodePoints(one.uri, other.uri)).map(toMetadata);
    },
    async locate(name, folder) {
      await index.ready();
      const uri = noteAddress(sources, name, folder, home());
      if (await resolver.isAvailable(uri)) return { uri };
      throw new IkigaiError("conflict", `${uri} exists already`, {
        hint: "Choose another name or folder, or update the note.",
        details: { error_type: "already_exists", note_name: name },
      });
    },
  };
}

function renameNotes({
  options,
  canWrite,
}: RepositoryContext): Pick<KnowledgeRepository, "renameTouches" | "renameNote"> {
  const { sources, index, intents = createMemoryIntentStore(), now = () => new Date() } = options;
  const newId = options.newId ?? (() => crypto.randomUUID());
  const { graph } = index;
  return {
    async renameTouches({ uri }, to) {
      await index.ready();
      return renameTouches(graph, requireRow(graph, uri), to.uri).filter(canWrite);
    },
    async renameNote({ uri }, to, { permit, ...call } = {}) {
      await index.ready();
      const facts = { id: newId(), at: now().toISOString() };
      const row = requireRow(graph, uri);
      const linking = [...new Set(graph.backlinks(uri).map(({ from }) => from))];
      const unwritable = linking.filter((from) => !canWrite(from));
      const intent = await planRename(sources, graph, row, to.uri, facts, { ...call, isWritable: canWrite });
      const rewritten = intent.files.map((file) => file.uri);
      await permit?.(rewritten);
      const touched = [to.uri, ...rewritten, uri];
      try {
        await applyRename(sources, intents, intent, call);
      } catch (error) {
        // The index is only a copy: failing to read again must not hide why the rename failed.
        await Promise.allSettled(touched.map((one) => index.noteChanged(one)));
        throw error;
      }
      for (const one of touched) await index.noteChanged(one);
      return { from: uri, to: to.uri, version: requireRow(graph, to.uri).version, rewritten, unwritable };
    },
  };
}

function describeNotes(
  context: RepositoryContext,
): Pick<KnowledgeRepository, "getMetadata" | "findRelated" | "listAllTags"> {
  const { search } = context;
  const { sources, index } = context.options;
  const { graph } = index;
  return {
    async getMetadata({ uri }, call = {}) {
      await index.ready();
      const row = requireRow(graph, uri);
      const { title, aliases, properties, headings, blocks, version, problem } = row;
      const createdAt = await oldestTime(sources, uri, call);
      return {
        ...toMetadata(row),
        ...(title !== undefined && { title }),
        version,
        aliases,
        properties,
        headings,
        blocks,
        backlinks: toEnds(graph, graph.backlinks(uri), ({ from }) => from),
        forwardLinks: toEnds(graph, graph.forwardLinks(uri), ({ to }) => to),
        unresolvedLinks: [
          ...new Set(row.links.filter(({ target }) => graph.resolve(target, row) === undefined).map(({ raw }) => raw)),
        ],
        ...(createdAt !== undefined && { createdAt }),
        ...(problem !== undefined && { problem }),
      };
    },
    async findRelated({ uri }, limit = LIMIT, call = {}) {
      await index.ready();
      const row = requireRow(graph, uri);
      const similar = (await search.text(call)).similar(uri, limit * 2);
      const vectors = await vectorsIfAny(context, call);
      const own = vectors?.get(uri);
      const near = own === undefined || vectors === undefined ? [] : vectors.search([...own], limit * 2);
      return findRelatedRows(graph, row, similar, near, limit).map(({ row: other, score, relations }) => ({
        ...toMetadata(other),
        score,
        relations,
      }));
    },
    async listAllTags() {
      await index.ready();
      return listTags(graph.rows());
    },
  };
}

type Searching = "searchText" | "searchVectors" | "embedNotes" | "searchByTags" | "searchByProperties";

function searchNotes({ options: { sources, index }, search }: RepositoryContext): Pick<KnowledgeRepository, Searching> {
  const { graph } = index;

  async function toResults(
    hits: readonly { readonly uri: string; readonly score: number }[],
    query: string,
    call: SourceCallOptions,
  ): Promise<SearchResult[]> {
    const results: SearchResult[] = [];
    for (const { uri, score } of hits) {
      const row = graph.get(uri);
      if (row === undefined) continue;
      const { address, source } = sources.route(uri);
      const text = query === "" ? undefined : (await source.read(address.path, call))?.text;
      const snippet = text === undefined ? "" : snippetOf(text, query);
      results.push({
        ...toMetadata(row),
        score: Math.round(score * 1_000) / 1_000,
        ...(snippet !== "" && { snippet }),
      });
    }
    return results;
  }

  return {
    async searchText(query, limit = LIMIT, call = {}) {
      return toResults((await search.text(call)).search(query, limit), query, call);
    },
    async searchVectors(query, limit = LIMIT, call = {}) {
      const vectors = await search.vectors(call);
      const isText = typeof query === "string";
      const vector = isText ? ((await search.embedder?.embed([query], call.signal))?.[0] ?? []) : query;
      return toResults(vectors.search(vector, limit), isText ? query : "", call);
    },
    async embedNotes(call = {}) {
      if (search.embedder !== undefined) await search.vectors(call);
    },
    async searchByTags(tags, match = "all") {
      await index.ready();
      const wanted = tags.map(requireTag);
      const has = (row: NoteRow, tag: string): boolean => row.tags.some((own) => isTagWithin(own, tag));
      return sorted(
        [...graph.rows()].flatMap((row) => {
          const count = wanted.filter((tag) => has(row, tag)).length;
          const fits = match === "all" ? count === wanted.length : count > 0;
          return fits ? [{ ...toMetadata(row), score: count / Math.max(1, wanted.length) }] : [];
        }),
      );
    },
    async searchByProperties(filter) {
      await index.ready();
      const rows = [...graph.rows()].filter((row) => matchesProperties(row.properties, filter));
      return sorted(rows.map((row) => ({ ...toMetadata(row), score: 1 })));
    },
  };
}

/** Meaning is one reason of several: without it the others still hold. */
async function vectorsIfAny(
  { options, search }: RepositoryContext,
  call: SourceCallOptions,
): Promise<VectorIndex | undefined> {
  if (search.embedder === undefined) return undefined;
  try {
    return await search.vectors(call);
  } catch (error) {
    call.signal?.throwIfAborted();
    if (options.warn === undefined || !IkigaiError.is(error)) throw error;
    options.warn(`notes are related without regard to meaning: ${withHint(error.message, error.hint)}`);
    return undefined;
  }
}

async function oldestTime(
  sources: KnowledgeRepositoryOptions["sources"],
  uri: string,
  call: SourceCallOptions,
): Promise<Date | undefined> {
  const { address, source } = sources.route(uri);
  let oldest: Date | undefined;
  if (typeof source.history !== "function") return undefined;
  for await (const { at } of source.history(address.path, call)) oldest = at;
  return oldest;
}

function toEnds(graph: NoteGraph, links: readonly GraphLink[], end: (link: GraphLink) => string): LinkEnd[] {
  const counts = new Map<string, number>();
  for (const link of links) counts.set(end(link), (counts.get(end(link)) ?? 0) + 1);
  return [...counts]
    .toSorted(([one], [other]) => compareCodePoints(one, other))
    .map(([uri, count]) => ({ name: graph.get(uri)?.name ?? noteName(uri), uri, count }));
}

function toMetadata({ name, uri, title, tags, bytes, modifiedAt }: NoteRow): NoteMetadata {
  return {
    name,
    uri,
    ...(title !== undefined && { title }),
    tags,
    ...(bytes !== undefined && { bytes }),
    ...(modifiedAt !== undefined && { modifiedAt: new Date(modifiedAt) }),
  };
}

function sorted(results: readonly SearchResult[]): SearchResult[] {
  return results.toSorted((one, other) => other.score - one.score || compareCodePoints(one.uri, other.uri));
}
