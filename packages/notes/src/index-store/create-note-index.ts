import { IkigaiError } from "@ikigai/core";
import { mountOf } from "@ikigai/core/host";
import { followChanges } from "./change-follower.ts";
import { isHidden } from "./listed-notes.ts";
import { createMountLooks, type MountLooks, NOTHING } from "./mount-looks.ts";
import { createMountRows, type MountRows } from "./mount-rows.ts";
import { createNoteGraph } from "./note-graph.ts";
import type { IndexReport, NoteIndex, NoteIndexOptions } from "./note-index.ts";

export function createNoteIndex(options: NoteIndexOptions): NoteIndex {
  const { sources } = options;
  const graph = createNoteGraph();
  const rows = createMountRows(options, graph);
  const looks = createMountLooks(options, rows);
  const touched = new Set<string>();

  const index: NoteIndex = {
    graph,
    mounts: looks.mounts,
    async refresh(refresh = {}) {
      looks.forgetUnmounted();
      const reports: IndexReport[] = [];
      for (const mount of looks.mounts()) reports.push(await looks.look(mount, refresh));
      return reports.reduce(add, NOTHING);
    },
    async ready(refresh = {}) {
      looks.forgetUnmounted();
      for (const mount of looks.mounts()) await looks.ready(mount, refresh);
      for (const uri of touched) {
        await index.noteChanged(uri, refresh).catch((error: unknown) => {
          if (!IkigaiError.is(error, "timeout")) throw error;
          looks.leaveOut(mountOf(uri) ?? "", error);
        });
      }
    },
    touch: (uri) => void touched.add(uri),
    async noteChanged(uri, { signal } = {}) {
      // The mark is removed before the note is read: a change during the reading marks it again.
      touched.delete(uri);
      if (!looks.mounts().includes(mountOf(uri) ?? "")) return;
      const { mount, path } = sources.route(uri).address;
      if (!isHidden(path)) await rows.refreshPath(mount, path, signal);
    },
    async follow({ signal, onError = () => undefined }) {
      const followed = new Map<string, Promise<void>>();
      const follow = (mount: string): void => {
        if (followed.has(mount) || signal.aborted) return;
        const following = followMount({ options, rows, looks, index }, mount, signal, onError).catch(onError);
        followed.set(mount, following);
        // A mount that was unmounted can come back.
        void following.finally(() => followed.delete(mount));
      };
      // Takes up mounts that come while changes are followed.
      looks.onFirst(follow);
      for (const mount of looks.mounts()) follow(mount);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.all(followed.values());
    },
  };
  return index;
}

interface FollowedIndex {
  readonly options: NoteIndexOptions;
  readonly rows: MountRows;
  readonly looks: MountLooks;
  readonly index: NoteIndex;
}

async function followMount(
  { options: { sources }, rows, looks, index }: FollowedIndex,
  mount: string,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  const { source } = sources.routePrefix(`${mount}:///`);
  if (typeof source.watch !== "function") return;
  await followChanges(source.watch({ signal }), {
    signal,
    onError,
    async one(path) {
      // A change during the first look must not be overtaken by an older read.
      await looks.first(mount);
      await index.noteChanged(`${mount}:///${path}`, { signal });
    },
    async all() {
      await looks.first(mount);
      await rows.refresh(mount, { signal });
    },
  });
}

function add(sum: IndexReport, one: IndexReport): IndexReport {
  return {
    notes: sum.notes + one.notes,
    read: sum.read + one.read,
    unchanged: sum.unchanged + one.unchanged,
    removed: sum.removed + one.removed,
    failed: [...sum.failed, ...one.failed],
  };
}
