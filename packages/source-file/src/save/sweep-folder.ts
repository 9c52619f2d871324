import type { SaveContext } from "./write-new-file.ts";
import type { Root } from "../place/directory.ts";
import type { PathLock } from "../lock/path-lock.ts";
import { findAbandoned, settle } from "./sweep.ts";
import { join, walk } from "../place/walk.ts";

/**
 * Cleans up after processes that died while saving below `root`, and gives their locks up.
 *
 * Contract: looks only where a dead process had a file locked; never throws for what it finds there.
 */
export async function sweepInterrupted(root: Root, lock: PathLock, save: SaveContext): Promise<void> {
  const paths = lock.interruptedPaths(root.realPath).map((path) => path.slice(root.realPath.length).replace(/^\//, ""));
  for (const folder of new Set(paths.map(folderOf))) {
    await sweepFolder(
      root,
      folder,
      lock,
      save,
      paths.filter((path) => folderOf(path) === folder),
    );
  }
}

/** Contract: never throws; `targets` are paths in the folder that may be missing because of an interrupted save. */
export async function sweepFolder(
  root: Root,
  folder: string,
  lock: PathLock,
  save: SaveContext,
  targets: readonly string[] = [],
): Promise<void> {
  const names = targets.map((path) => path.slice(path.lastIndexOf("/") + 1));
  try {
    // Any name will do: the walk opens the folder that would hold it.
    await walk(root, join(folder, "x"), async (place) => {
      if (place === undefined) return;
      const { directory } = place;
      const enter = (name: string): Promise<Disposable> =>
        lock.enter(`${root.realPath}/${join(directory.path, name)}`.replace(/^\/\//, "/"));
      for (const abandoned of await findAbandoned(directory, save, names)) {
        using _held = await enter(abandoned.target ?? abandoned.name);
        await settle(directory, abandoned, save);
      }
      for (const name of names) (await enter(name))[Symbol.dispose]();
    });
  } catch (error) {
    save.warn(`could not clean up in ${folder === "" ? root.realPath : folder}: ${String(error)}`);
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
