import { constants } from "node:fs";
import { escapes } from "../file-errors.ts";
import type { FileOps, OpenFile } from "../file-ops.ts";

/**
 * A folder that is held open, so that it stays the same one whatever happens to its name.
 *
 * On Linux names are looked up through `/proc/self/fd/N/name`, that is, in the folder itself. Elsewhere there is only
 * the folder's path, and `verify` tells whether that still leads to it.
 */
export interface Directory {
  readonly handle: OpenFile;
  /** Relative to the root, without links. Empty for the root. */
  readonly path: string;
  /** A path for system calls that names an entry of this folder. */
  at(name: string): string;
  /** Contract: throws `permission_denied` when the folder's path leads elsewhere by now. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** The folder that a source serves. */
export interface Root {
  readonly directory: Directory;
  /** The absolute path with all links resolved. */
  readonly realPath: string;
  /** Every absolute spelling of the root that a link may use. */
  readonly spellings: readonly string[];
  readonly ops: FileOps;
  /** Opens a folder inside `parent`. Contract: throws an errno such as `ENOTDIR` or `ELOOP` for anything else. */
  openChild(parent: Directory, name: string): Promise<Directory>;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const OPEN_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** Opens the root. Contract: whoever opens it closes `directory`. */
export async function openRoot(absolutePath: string, ops: FileOps, procfs: boolean): Promise<Root> {
  const handle = await ops.open(absolutePath, O_RDONLY | O_DIRECTORY);
  const realPath = procfs ? await ops.readlink(`/proc/self/fd/${handle.fd}`) : await ops.realpath(absolutePath);
  const build = procfs ? throughHandle : throughPath;
  const directory = build(handle, "", realPath, ops);
  return {
    directory,
    realPath,
    spellings: [...new Set([realPath, absolutePath])],
    ops,
    async openChild(parent, name) {
      const child = await ops.open(parent.at(name), OPEN_DIRECTORY);
      const path = parent.path === "" ? name : `${parent.path}/${name}`;
      const opened = build(child, path, realPath, ops);
      try {
        await opened.verify();
      } catch (error) {
        await opened.close();
        throw error;
      }
      return opened;
    },
  };
}

/** Closes what was only read. Contract: never throws, since nothing can have been lost. */
export async function closeQuietly(handle: OpenFile, ops: FileOps): Promise<void> {
  await ops.close(handle).catch(() => {});
}

function throughHandle(handle: OpenFile, path: string, _realPath: string, ops: FileOps): Directory {
  return {
    handle,
    path,
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    verify: () => Promise.resolve(),
    close: () => closeQuietly(handle, ops),
  };
}

function throughPath(handle: OpenFile, path: string, realPath: string, ops: FileOps): Directory {
  const absolute = path === "" ? realPath : `${realPath}/${path}`;
  return {
    handle,
    path,
    at: (name) => `${absolute}/${name}`,
    async verify() {
      const [held, named, real] = await Promise.all([ops.stat(handle), ops.lstat(absolute), ops.realpath(absolute)]);
      if (real !== absolute || held.ino !== named.ino || held.dev !== named.dev) throw escapes(path);
    },
    close: () => closeQuietly(handle, ops),
  };
}
