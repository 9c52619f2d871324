import { type TextChange, IkigaiError } from "@ikigai/core";
import { watch } from "chokidar";
import { createEventQueue } from "./event-queue.ts";
import { createFreshFolders } from "./fresh-folders.ts";
import type { IgnoreRules } from "../list/ignore-rules.ts";
import { takeSnapshot } from "./tree-snapshot.ts";
import { createVisibility } from "./visibility.ts";

export interface WatchFilesOptions {
  readonly realPath: string;
  readonly ignored: IgnoreRules;
  readonly gitignore: boolean;
  readonly signal: AbortSignal;
}

/** Changes closer together than this are one. */
const DEBOUNCE_MS = 40;
/** With fewer files than this the whole tree is looked at a few times more once the watcher is ready. */
const SMALL_TREE = 2_000;

/**
 * The changes below a folder from now on.
 *
 * What the operating system reports is only a hint where to look: each path is compared with what was last seen of it,
 * so that every change is told once and as what it is. Contract: links are not followed, hidden paths not watched;
 * ends when `signal` aborts; `unavailable` when the system cannot watch.
 */
export function watchFiles({ realPath, ignored, gitignore, signal }: WatchFilesOptions): AsyncIterable<TextChange> {
  if (signal.aborted) return createEventQueue<TextChange>(signal, () => {}).values;
  const visibility = createVisibility(realPath, ignored, gitignore);
  const snapshot = takeSnapshot(realPath, visibility);
  const hints = new Set<string>();
  const missing = new Set<string>();
  let ready = false;
  let timer: NodeJS.Timeout | undefined;

  const watcher = watch(realPath, {
    followSymlinks: false,
    atomic: false,
    ignored: (path, stats) => {
      if (stats === undefined) return false;
      return stats.isSymbolicLink() || !visibility.shows(relative(path), stats.isDirectory() ? "directory" : "file");
    },
  });
  const fresh = createFreshFolders(lookInto);
  const queue = createEventQueue<TextChange>(signal, async () => {
    clearTimeout(timer);
    fresh.stop();
    await watcher.close();
  });

  function relative(path: string): string {
    return path.slice(realPath === "/" ? 1 : realPath.length + 1);
  }

  function hint(path: string): void {
    hints.add(path);
    timer ??= setTimeout(compareHinted, DEBOUNCE_MS);
  }

  function compareHinted(): void {
    timer = undefined;
    const paths = [...hints];
    hints.clear();
    for (const path of paths) {
      if (!visibility.shows(path, "file")) continue;
      // A save may leave a name absent for a moment, so what is missing is looked for twice.
      if (!missing.has(path) && !snapshot.exists(path)) {
        missing.add(path);
        hint(path);
        continue;
      }
      missing.delete(path);
      const change = snapshot.compare(path);
      if (change !== undefined) queue.push(change);
    }
  }

  function lookInto(folder: string): void {
    const { files, folders } = snapshot.search(folder);
    for (const path of files) hint(path);
    const watched = watcher.getWatched();
    for (const path of folders) {
      const absolute = path === "" ? realPath : `${realPath}/${path}`;
      if (watched[absolute] === undefined) watcher.add(absolute);
    }
  }

  watcher.on("all", (event, path) => {
    hint(relative(path));
    if (event === "addDir" && ready) fresh.add(relative(path));
  });
  watcher.on("ready", () => {
    ready = true;
    for (const path of snapshot.paths()) hint(path);
    lookInto("");
    if (snapshot.paths().length <= SMALL_TREE) fresh.add("");
  });
  watcher.on("error", (cause) => {
    queue.fail(
      new IkigaiError("unavailable", `${realPath} cannot be watched`, {
        cause,
        hint: "Raise the limit on watched files.",
      }),
    );
  });
  return queue.values;
}
