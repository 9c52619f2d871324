import { type Actor, type TextContent, type TextEntry, type TextReader, IkigaiError, messageOf } from "@ikigai/core";
import { HOST_MOUNT, mountOf } from "@ikigai/core/host";
import { followChanges } from "./change-follower.ts";
import { isCurrent, isHidden, isSettled } from "./listed-notes.ts";
import { createNoteGraph } from "./note-graph.ts";
import type { IndexReport, NoteIndex, NoteIndexOptions, RefreshOptions } from "./note-index.ts";
import { createMemoryNoteIndexStore } from "./note-index-store.ts";
import { isNotePath, type NoteRow, toNoteRow, withEntry } from "./note-row.ts";

const CONCURRENCY = 32;
const SAVE_AT_ONCE = 500;
const PROGRESS_EVERY = 100;
const LOOKS_AT_ONE = 2;
const RETRY_AFTER_MS = 30_000;
const WAIT_MS = 10_000;

type Reader = Pick<TextReader, "list" | "read">;

export function createNoteIndex(options: NoteIndexOptions): NoteIndex {
  const { sources, store = createMemoryNoteIndexStore(), concurrency = CONCURRENCY, now = Date.now } = options;
  const graph = createNoteGraph();
  const loaded = new Set<string>();
  const touched = new Set<string>();
  /** The first look at each mount. */
  const looks = new Map<string, Promise<void>>();
  /** When each mount that could not be listed failed. */
  const failedAt = new Map<string, number>();
  /** Takes up mounts that come while changes are followed. */
  let follower: ((mount: string) => void) | undefined;

  function callOptions(signal?: AbortSignal): { signal?: AbortSignal; actor?: Actor } {
    return { ...(signal && { signal }), ...(options.actor && { actor: options.actor }) };
  }

  function mounts(): readonly string[] {
    if (typeof options.mounts === "function") return options.mounts();
    if (options.mounts !== undefined) return options.mounts;
    return sources.status().flatMap(({ kind, mount }) => (kind === "block" && mount !== HOST_MOUNT ? [mount] : []));
  }

  /** Takes the stored rows over, once. */
  async function load(mount: string): Promise<void> {
    if (loaded.has(mount)) return;
    for (const row of await store.load(mount)) graph.set(row);
    loaded.add(mount);
  }

  /** Reader of a mount with a time limit: one mount that never answers must not keep the others waiting. */
  function readerOf(mount: string): Reader {
    return sources.readerWithin(mount, options.waitMs ?? WAIT_MS);
  }

  async function refreshMount(mount: string, refresh: RefreshOptions): Promise<IndexReport> {
    const source = readerOf(mount);
    const listedAt = Date.now();
    // Neither needs the other.
    const [entries] = await Promise.all([collect(source.list("", callOptions(refresh.signal))), load(mount)]);
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
      if (!seen.has(path) && (await isGone(source, path, refresh.signal))) gone.push(path);
    }
    await drop(mount, gone);
    const failed: { uri: string; reason: string }[] = [];
    let read = 0;
    let unsaved: NoteRow[] = [];
    const report = (): void => refresh.onProgress?.({ mount, done: total - stale.length + read, total });
    report();
    await inParallel(stale, concurrency, async (entry) => {
      refresh.signal?.throwIfAborted();
      const uri = `${mount}:///${entry.path}`;
      try {
        const content = await source.read(entry.path, callOptions(refresh.signal));
        if (content === undefined) await drop(mount, [entry.path]);
        else unsaved.push(keep(toRow(mount, entry, content, listedAt)));
      } catch (error) {
        refresh.signal?.throwIfAborted();
        // Its other texts would be waited for one after the other.
        if (IkigaiError.is(error, "timeout")) throw error;
        failed.push({ uri, reason: messageOf(error) });
      }
      read += 1;
      if (read % PROGRESS_EVERY === 0 || read === stale.length) report();
      if (unsaved.length >= SAVE_AT_ONCE) {
        const batch = unsaved;
        unsaved = [];
        await store.save(batch);
      }
    });
    if (unsaved.length > 0) await store.save(unsaved);
    const removed = gone.filter(isNotePath).length;
    return { notes: total, read: read - failed.length, unchanged: total - stale.length, removed, failed };
  }

  function toRow(mount: string, entry: TextEntry, content: TextContent, listedAt: number): NoteRow {
    const known = graph.get(`${mount}:///${entry.path}`);
    const row = known?.version === content.version ? withEntry(known, entry) : toNoteRow(mount, entry, content);
    return isSettled(entry, listedAt) ? row : { ...row, unsettled: true };
  }

  function keep(row: NoteRow): NoteRow {
    graph.set(row);
    return row;
  }

  async function drop(mount: string, paths: readonly string[]): Promise<void> {
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
    source: Reader,
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly entry: TextEntry; readonly content: TextContent } | undefined> {
    for (let looks = 1; looks <= LOOKS_AT_ONE; looks++) {
      const entry = await findEntry(source.list(path, callOptions(signal)), path);
      const content = await source.read(path, callOptions(signal));
      if (content === undefined) return undefined;
      if (entry !== undefined) return { entry, content };
    }
    return undefined;
  }

  /** Whether a path that a list left out is gone or hidden. Contract: asks for the text first, which costs less. */
  async function isGone(source: Reader, path: string, signal?: AbortSignal): Promise<boolean> {
    try {
      if ((await source.read(path, callOptions(signal))) === undefined) return true;
    } catch {
      signal?.throwIfAborted();
      // The path exists and is no text: an attachment.
    }
    return (await findEntry(source.list(path, callOptions(signal)), path)) === undefined;
  }

  /** Lets go of the notes of mounts that are no longer there. What is stored of them stays for when they come back. */
  function forgetUnmounted(): void {
    const present = new Set(mounts());
    for (const mount of looks.keys()) {
      if (present.has(mount)) continue;
      for (const path of graph.files(mount)) {
        graph.delete(`${mount}:///${path}`);
        graph.deleteFile(mount, path);
      }
      looks.delete(mount);
      loaded.delete(mount);
    }
  }

  /** The report on one mount. Contract: one that cannot be listed is told where somebody listens, and then it is empty. */
  async function look(mount: string, refresh: RefreshOptions): Promise<IndexReport> {
    try {
      const report = await refreshMount(mount, refresh);
      failedAt.delete(mount);
      return report;
    } catch (error) {
      refresh.signal?.throwIfAborted();
      leaveOut(mount, error);
      return { ...NOTHING, failed: [{ uri: `${mount}:///`, reason: messageOf(error) }] };
    }
  }

  /** Contract: throws the error where nobody listens. */
  function leaveOut(mount: string, error: unknown): void {
    if (options.onMountFailure === undefined) throw error;
    if (!failedAt.has(mount)) options.onMountFailure(mount, error);
    failedAt.set(mount, now());
  }

  /** Looks at a mount that failed, when that is due. Contract: nobody waits for it; what it says then is known later. */
  function tryAgain(mount: string): void {
    if (now() - (failedAt.get(mount) ?? 0) < RETRY_AFTER_MS) return;
    failedAt.set(mount, now());
    void firstLook(mount, {}).catch(() => undefined);
  }

  function firstLook(mount: string, refresh: RefreshOptions): Promise<void> {
    follower?.(mount);
    const mine = look(mount, refresh).then(
      () => undefined,
      (error: unknown) => {
        if (looks.get(mount) === mine) looks.delete(mount);
        throw error;
      },
    );
    looks.set(mount, mine);
    return mine;
  }

  const index: NoteIndex = {
    graph,
    mounts,
    async refresh(refresh = {}) {
      forgetUnmounted();
      const reports: IndexReport[] = [];
      for (const mount of mounts()) {
        reports.push(await look(mount, refresh));
        if (!looks.has(mount)) looks.set(mount, Promise.resolve());
      }
      return reports.reduce(add, NOTHING);
    },
    async ready(refresh = {}) {
      forgetUnmounted();
      for (const mount of mounts()) {
        if (failedAt.has(mount)) tryAgain(mount);
        else await (looks.get(mount) ?? firstLook(mount, refresh));
      }
      for (const uri of touched) {
        await index.noteChanged(uri, refresh).catch((error: unknown) => {
          if (!IkigaiError.is(error, "timeout")) throw error;
          leaveOut(mountOf(uri) ?? "", error);
        });
      }
    },
    touch: (uri) => void touched.add(uri),
    async noteChanged(uri, { signal } = {}) {
      // The mark is removed before the note is read: a change during the reading marks it again.
      touched.delete(uri);
      if (!mounts().includes(mountOf(uri) ?? "")) return;
      const { mount, path } = sources.route(uri).address;
      if (isHidden(path)) return;
      const listedAt = Date.now();
      const found = await lookAt(readerOf(mount), path, signal);
      if (found === undefined) return drop(mount, [path]);
      const { entry, content } = found;
      graph.addFile(mount, path);
      if (isNotePath(path)) await store.save([keep(toRow(mount, entry, content, listedAt))]);
    },
    async follow({ signal, onError = () => undefined }) {
      const followed = new Map<string, Promise<void>>();
      follower = (mount) => {
        if (followed.has(mount) || signal.aborted) return;
        const following = followMount(mount, signal, onError).catch(onError);
        followed.set(mount, following);
        // A mount that was unmounted can come back.
        void following.finally(() => followed.delete(mount));
      };
      for (const mount of mounts()) follower(mount);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.all(followed.values());
    },
  };

  async function followMount(mount: string, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    const { source } = sources.routePrefix(`${mount}:///`);
    if (typeof source.watch !== "function") return;
    await followChanges(source.watch({ signal }), {
      signal,
      onError,
      async one(path) {
        // A change during the first look must not be overtaken by an older read.
        await looks.get(mount);
        await index.noteChanged(`${mount}:///${path}`, { signal });
      },
      async all() {
        await looks.get(mount);
        await refreshMount(mount, { signal });
      },
    });
  }

  return index;
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

const NOTHING: IndexReport = { notes: 0, read: 0, unchanged: 0, removed: 0, failed: [] };

function add(sum: IndexReport, one: IndexReport): IndexReport {
  return {
    notes: sum.notes + one.notes,
    read: sum.read + one.read,
    unchanged: sum.unchanged + one.unchanged,
    removed: sum.removed + one.removed,
    failed: [...sum.failed, ...one.failed],
  };
}
