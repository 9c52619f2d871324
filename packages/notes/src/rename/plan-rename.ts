import { IkigaiError, type SourceCallOptions } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import { nameKey, type NoteGraph } from "../index-store/note-graph.ts";
import { linkTarget, type NoteLink, type NoteRow, noteName } from "../index-store/note-row.ts";
import { scanNote } from "../note/scan-note.ts";
import type { IntentFile, LinkChange, RenameIntent } from "./intent-store.ts";
import { linkTextFor } from "./link-text.ts";
import { rewriteLinks } from "./rewrite-links.ts";

/** A link and where it leads before the rename. */
interface Aimed {
  readonly link: NoteLink;
  readonly leads: string | undefined;
}

interface Linker {
  readonly row: NoteRow;
  readonly text: string;
  readonly version: string;
  readonly links: readonly Aimed[];
}

/** Addresses of the notes that a rename may have to rewrite. Reads no text. */
export function renameTouches(graph: NoteGraph, row: NoteRow, to: string): string[] {
  const shadowed = graph.linkers(nameKey(to)).map(({ uri }) => uri);
  const linking = graph.backlinks(row.uri).map(({ from }) => from);
  return [...new Set([...linking, ...shadowed])].filter((uri) => uri !== row.uri);
}

/**
 * Works out every write of a rename, on the texts as they are now. Links that led to the note lead to it afterwards;
 * links that the new name would catch keep leading where they did.
 */
export async function planRename(
  sources: SourceManager,
  graph: NoteGraph,
  row: NoteRow,
  to: string,
  facts: { readonly id: string; readonly at: string },
  { isWritable, ...call }: SourceCallOptions & { readonly isWritable: (uri: string) => boolean },
): Promise<RenameIntent> {
  const own = await readLinker(sources, graph, row, call);
  const others: Linker[] = [];
  for (const uri of renameTouches(graph, row, to).filter(isWritable)) {
    others.push(await readLinker(sources, graph, graph.get(uri) as NoteRow, call));
  }
  const { address } = sources.route(to);
  const moved: NoteRow = { ...row, uri: to, mount: address.mount, path: address.path, name: noteName(address.path) };
  return inNewWorld(graph, row, moved, () => {
    const links = changesOf(graph, own, row.uri, moved);
    const files = others.flatMap((linker) => toFile(linker, changesOf(graph, linker, row.uri, moved)));
    return {
      ...facts,
      kind: "rename_note" as const,
      from: { uri: row.uri, version: own.version, text: own.text },
      to: { uri: to, text: rewriteLinks(own.text, links), links },
      files,
    };
  });
}

async function readLinker(
  sources: SourceManager,
  graph: NoteGraph,
  row: NoteRow,
  call: SourceCallOptions,
): Promise<Linker> {
  const { address, source } = sources.route(row.uri);
  const content = await source.read(address.path, call);
  if (content === undefined) {
    throw new IkigaiError("conflict", `${row.uri} was removed meanwhile`, { hint: "Try again." });
  }
  const links = scanNote(content.text).links.flatMap(({ kind, embed, raw }): Aimed[] => {
    const target = linkTarget(kind, raw);
    if (target === undefined) return [];
    return [{ link: { kind, embed, raw, target }, leads: graph.resolve(target, row) }];
  });
  return { row, ...content, links };
}

/** Runs `work` while the graph looks as it will after the rename. Nothing else can run in between. */
function inNewWorld<T>(graph: NoteGraph, row: NoteRow, moved: NoteRow, work: () => T): T {
  graph.delete(row.uri);
  graph.set(moved);
  try {
    return work();
  } finally {
    graph.delete(moved.uri);
    graph.set(row);
  }
}

function changesOf(graph: NoteGraph, linker: Linker, old: string, moved: NoteRow): LinkChange[] {
  const from = linker.row.uri === old ? moved : linker.row;
  const changes = new Map<string, LinkChange>();
  for (const { link, leads } of linker.links) {
    if (leads === undefined || link.target === "") continue;
    const wanted = leads === old ? moved.uri : leads;
    if (graph.resolve(link.target, from) === wanted && !(leads === old && isNamed(link, old))) continue;
    const target = graph.get(wanted);
    const text = target === undefined ? undefined : linkTextFor(graph, from, link, target);
    if (text === undefined || text === link.raw) continue;
    changes.set(`${link.kind} ${link.raw}`, { kind: link.kind, raw: link.raw, wanted: text });
  }
  return [...changes.values()];
}

/** Whether the link names the note by its old name or path, rather than by an alias. */
function isNamed(link: NoteLink, old: string): boolean {
  return nameKey(link.target) === nameKey(old);
}

function toFile({ row, text, version }: Linker, links: readonly LinkChange[]): IntentFile[] {
  if (links.length === 0) return [];
  return [{ uri: row.uri, before: text, after: rewriteLinks(text, links), version, links }];
}
