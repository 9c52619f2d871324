import { type Actor, type TextContent, type TextEntry, type TextReader, IkigaiError, messageOf } from "@ikigai/core";
import { isCurrent, isHidden, isSettled } from "./listed-notes.ts";
import type { NoteGraph } from "./note-graph.ts";
import type { IndexReport, NoteIndexOptions, RefreshOptions } from "./note-index.ts";
import { createMemoryNoteIndexStore, type NoteIndexStore } from "./note-index-store.ts";
import { isNotePath, type NoteRow, toNoteRow, withEntry } from "./note-row.ts";

const CONCURRENCY = 32;
const SAVE_AT_ONCE = 500;
const PROGRESS_EVERY = 100;
const LOOKS_AT_ONE = 2;
const WAIT_MS = 10_000;

type Reader = Pick<TextReader, "list" | "read">;

/** The rows of the notes of each mount, in the graph and in the store. */
export interface MountRows {
  /** Reads the notes of a mount that changed since they were last read. */
  refresh(mount: string, refresh: RefreshOptions): Promise<IndexReport>;
  /** Reads one path again. */
  refreshPath(mount: string, path: string, signal?: AbortSignal): Promise<void>;
  /** Lets go of the notes of a mount. What is stored of them stays for when it comes back. */
  forget(mount: string): void;
}

/** What the notes of one mount are read with. */
interface MountContext {
  readonly mount: string;
  readonly graph: NoteGraph;
  readonly store: NoteIndexStore;
  readonly source: Reader;
  readonly call: { readonly signal?: AbortSignal; readonly actor?: Actor };
}

export function createMountRows(options: NoteIndexOptions, graph: NoteGraph): MountRows {
  const { sources, store = createMemoryNoteIndexStore(), concurrency = CONCURRENCY } = options;
  const loaded = new Set<string>();

  /** Contract: one mount that never answers does not keep the others waiting. */
  function contextOf(mount: string, signal: AbortSignal | undefined): MountContext {
    const source = sources.readerWithin(mount, options.waitMs ?? WAIT_MS);
    const call = { ...(signal && { signal }), ...(options.actor && { actor: options.actor }) };
    return { mount, graph, store, source, call };
  }

  /** Takes the stored rows over, once. */
  async function load(mount: string): Promise<void> {
    if (loaded.has(mount)) return;
    for (const row of await store.load(mount)) graph.set(row);
    loaded.add(mount);
  }

  return {
    async refresh(mount, refresh) {
      const context = contextOf(mount, refresh.signal);
      const listedAt = Date.now();
      // Neither needs the other.
      const [entries] = await Promise.all([collect(context.source.list("", context.call)), load(mount)]);
      const { stale, total, gone } = await compareWithList(context, entries);
      await drop(context, gone);
      const known = total - stale.length;
      const onRead = (read: number): void => refresh.onProgress?.({ mount, done: known + read, total });
      const failed = await readStale(context, stale, { listedAt, concurrency, onRead });
      const removed = gone.filter(isNotePath).length;
      return { notes: total, read: stale.length - failed.length, unchanged: known, removed, failed };
    },
    async refreshPath(mount, path, signal) {
      const context = contextOf(mount, signal);
      const listedAt = Date.now();
      const found = await lookAt(context, path);
      if (found === undefined) return drop(context, [path]);
      graph.addFile(mount, path);
      if (isNotePath(path)) await store.save([keep(context, found.entry, found.content, listedAt)]);
    },
    forget(mount) {
      for (const path of graph.files(mount)) {
        graph.delete(`${mount}:///${path}`);
        graph.deleteFile(mount, path);
      }
      loaded.delete(mount);
    },
  };
}

/** Which notes have to be read, how many there are, and which paths are gone. */
async function compareWithList(
  context: MountContext,
  entries: readonly TextEntry[],
): Promise<{ readonly stale: readonly TextEntry[]; readonly total: number; readonly gone: readonly string[] }> {
  const { mount, graph } = context;
  const stale: TextEntry[] = [];
  const seen = new Set<string>();
  let total = 0;
  for (const entry of entries) {
    if (isHidden(entry.path)) continue;
    seen.add(entry.path);
    graph.addFile(mount, entry.path);
    if (!isNotePath(entry.path)) continue;
    total += 1;
    if (!isCurrent(graph.get(`${mount}:///${entry.path}`), entry)) stale.push(entry);
  }
  const gone: string[] = [];
  for (const path of graph.files(mount)) {
    if (!seen.has(path) && (await isGone(context, path))) gone.push(path);
  }
  return { stale, total, gone };
}

interface ReadStaleOptions {
  readonly listedAt: number;
  readonly concurrency: number;
  /** Told how many were read. */
  readonly onRead: (read: number) => void;
}

/** Reads notes and saves their rows. Gives those that could not be read. */
async function readStale(
  context: MountContext,
  stale: readonly TextEntry[],
  { listedAt, concurrency, onRead }: ReadStaleOptions,
): Promise<IndexReport["failed"]> {
  const { mount, store, source, call } = context;
  const failed: { uri: string; reason: string }[] = [];
  let read = 0;
  let unsaved: NoteRow[] = [];
  onRead(read);
  await inParallel(stale, concurrency, async (entry) => {
    call.signal?.throwIfAborted();
    try {
      const content = await source.read(entry.path, call);
      if (content === undefined) await drop(context, [entry.path]);
      else unsaved.push(keep(context, entry, content, listedAt));
    } catch (error) {
      call.signal?.throwIfAborted();
      // Its other texts would be waited for one after the other.
      if (IkigaiError.is(error, "timeout")) throw error;
      failed.push({ uri: `${mount}:///${entry.path}`, reason: messageOf(error) });
    }
    read += 1;
    if (read % PROGRESS_EVERY === 0 || read === stale.length) onRead(read);
    if (unsaved.length >= SAVE_AT_ONCE) {
      const batch = unsaved;
      unsaved = [];
      await store.save(batch);
    }
  });
  if (unsaved.length > 0) await store.save(unsaved);
  return failed;
}

/** Puts a note that was read into the graph. Gives its row. */
function keep({ mount, graph }: MountContext, entry: TextEntry, content: TextContent, listedAt: number): NoteRow {
  const known = graph.get(`${mount}:///${entry.path}`);
  const row = known?.version === content.version ? withEntry(known, entry) : toNoteRow(mount, entry, content);
  const kept = isSettled(entry, listedAt) ? row : { ...row, unsettled: true };
  graph.set(kept);
  return kept;
}

async function drop({ mount, graph, store }: MountContext, paths: readonly string[]): Promise<void> {
  const uris: string[] = [];
  for (const path of paths) {
    const uri = `${mount}:///${path}`;
    if (graph.get(uri) !== undefined) uris.push(uri);
    graph.delete(uri);
    graph.deleteFile(mount, path);
  }
  if (uris.length > 0) await store.remove(uris);
}

/**
 * What a list and then a read say of one path. Contract: `undefined` when it is gone, or hidden by its source. A list
 * can miss what is being saved, so a path that it leaves out and that can be read is listed once more.
 */
async function lookAt(
  { source, call }: MountContext,
  path: string,
): Promise<{ readonly entry: TextEntry; readonly content: TextContent } | undefined> {
  for (let looks = 1; looks <= LOOKS_AT_ONE; looks++) {
    const entry = await findEntry(source.list(path, call), path);
    const content = await source.read(path, call);
    if (content === undefined) return undefined;
    if (entry !== undefined) return { entry, content };
  }
  return undefined;
}

/** Whether a path that a list left out is gone or hidden. Contract: asks for the text first, which costs less. */
async function isGone({ source, call }: MountContext, path: string): Promise<boolean> {
  try {
    if ((await source.read(path, call)) === undefined) return true;
  } catch {
    call.signal?.throwIfAborted();
    // The path exists and is no text: an attachment.
  }
  return (await findEntry(source.list(path, call), path)) === undefined;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function findEntry(entries: AsyncIterable<TextEntry>, path: string): Promise<TextEntry | undefined> {
  for await (const entry of entries) if (entry.path === path) return entry;
  return undefined;
}

async function inParallel<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as T;
      next += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
