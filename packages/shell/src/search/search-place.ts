import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { IkigaiError } from "@ikigai/core";
import type { Route, SourceManager, Verdict } from "@ikigai/core/host";

/** Where to search, as the model named it. */
export interface SearchPlace {
  readonly route: Route;
  /** The path or address that leads to `path`, given relative to the source. */
  readonly nameOf: (path: string) => string;
}

/** An open file or folder of this machine that a search reads. */
export interface LocalPlace extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Its real path, for what need not be safe from an exchange of folders. */
  readonly real: string;
  readonly isFolder: boolean;
  /** A way to it that stays the same when names around it change. */
  readonly cwd: string;
}

/** Limits of a search: the place that was judged, and our own files left out. */
export interface SearchGuard {
  /** Where the searched path led when the call was judged. Absent: nothing was followed. */
  readonly judged?: Verdict["place"] | undefined;
  /** Whether an absolute path is the host's own. Default: none is. */
  readonly isOwn?: ((absolute: string) => boolean) | undefined;
  /** The host's own folders. Default none. */
  readonly ownFolders?: readonly string[] | undefined;
  /** Globs of names that are not shown. Default none. */
  readonly hiddenNames?: readonly string[] | undefined;
}

export function findPlace(sources: SourceManager, path: string): SearchPlace {
  const route = sources.routePrefix(path);
  const { mount } = route.address;
  const isWorkspace = workspaceOf(sources) === mount;
  return { route, nameOf: (found) => (isWorkspace ? found : `${mount}:///${found}`) };
}

/**
 * Opens a place inside `root` and makes sure that what was opened lies there, whatever links led to it.
 *
 * Contract: `not_found` when there is nothing, `permission_denied` when it lies elsewhere or is the host's own, `conflict`
 * when it is not the place that was judged. Close it.
 */
export async function openLocal(root: string, path: string, guard: SearchGuard = {}): Promise<LocalPlace> {
  const wanted = join(root, path);
  const handle = await open(wanted, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw new IkigaiError("not_found", `There is nothing at ${JSON.stringify(path)}`, {
      hint: "Look at the folder above with glob.",
      cause,
    });
  });
  try {
    const isLinux = process.platform === "linux";
    const real = isLinux ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(wanted);
    const realRoot = await realpath(root);
    if (real !== realRoot && !real.startsWith(realRoot === sep ? sep : `${realRoot}${sep}`)) throw outside(path);
    assertGuarded(path, real, realRoot, guard);
    const stat = await handle.stat();
    if (!stat.isDirectory() && !stat.isFile()) throw notSearchable(path);
    return {
      handle,
      real,
      isFolder: stat.isDirectory(),
      // The child resolves it before it becomes ripgrep, while it still has the descriptor.
      cwd: isLinux && stat.isDirectory() ? `/proc/self/fd/${handle.fd}` : stat.isDirectory() ? real : realRoot,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function assertGuarded(path: string, real: string, root: string, { judged, isOwn }: SearchGuard): void {
  if (judged === undefined) {
    if (isOwn?.(real) === true) throw ownPlace(path);
    return;
  }
  // A file system that folds names may answer with the stored spelling.
  if (fold(join(root, judged.path)) === fold(real)) return;
  throw new IkigaiError(
    "conflict",
    `${JSON.stringify(path)} leads to ${real} by now, and was judged as ${judged.path}`,
    {
      hint: "Call again, so that it is judged where it leads.",
    },
  );
}

/** The patterns that keep ripgrep out of folders of the host's own that lie below `real`, and from names that are not shown. */
export function ownFlags(real: string, { ownFolders = [], hiddenNames = [] }: SearchGuard): string[] {
  const prefix = real === sep ? sep : `${real}${sep}`;
  const folders = ownFolders
    .filter((folder) => folder.startsWith(prefix))
    .map((folder) => `/${folder.slice(prefix.length).replaceAll(/[\\*?[\]{}!]/g, "\\$&")}`);
  return [...folders, ...hiddenNames].flatMap((glob) => ["--glob", `!${glob}`]);
}

function workspaceOf(sources: SourceManager): string | undefined {
  try {
    return sources.routePrefix("").address.mount;
  } catch {
    return undefined;
  }
}

function fold(path: string): string {
  return path
    .normalize("NFC")
    .replace(/(?!^)\/$/, "")
    .toLowerCase();
}

function ownPlace(path: string): IkigaiError {
  return new IkigaiError("permission_denied", `${JSON.stringify(path)} is ikigai's own, which is not searched`, {
    hint: "Do not retry; ask the user to look at it.",
  });
}

function outside(path: string): IkigaiError {
  return new IkigaiError("permission_denied", `${JSON.stringify(path)} leads outside its root`, {
    hint: "Search a folder of the workspace.",
  });
}

function notSearchable(path: string): IkigaiError {
  return new IkigaiError("unsupported", `${JSON.stringify(path)} is neither a file nor a folder`, {
    hint: "Search the folder above it.",
  });
}
