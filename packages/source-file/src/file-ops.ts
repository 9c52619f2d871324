import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import {
  access,
  constants,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  unlink,
} from "node:fs/promises";

import { isErrno } from "./file-errors.ts";

/**
 * Every call to the operating system that a source makes on its files.
 *
 * It is one object so that a test can let any single step fail, or stop there as a killed process would.
 */
export interface FileOps {
  open(path: string, flags: number, mode?: number): Promise<FileHandle>;
  close(handle: FileHandle): Promise<void>;
  stat(handle: FileHandle): Promise<Stats>;
  read(handle: FileHandle, buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  write(handle: FileHandle, bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  truncate(handle: FileHandle, length: number): Promise<void>;
  sync(handle: FileHandle): Promise<void>;
  chmod(handle: FileHandle, mode: number): Promise<void>;
  chown(handle: FileHandle, uid: number, gid: number): Promise<void>;
  lstat(path: string): Promise<Stats>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  /** Names only, decoded from UTF-8 or left out. */
  readdir(path: string): Promise<readonly DirectoryItem[]>;
  mkdir(path: string): Promise<void>;
  /** Whether this process may write to the file. */
  writable(path: string): Promise<boolean>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** The synchronous ones exist for steps between which nothing else may run. */
  lstatSync(path: string): Stats;
  realpathSync(path: string): string;
  renameSync(from: string, to: string): void;
  linkSync(from: string, to: string): void;
  unlinkSync(path: string): void;
}

export interface DirectoryItem {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const fileOps: FileOps = {
  open,
  close: (handle) => handle.close(),
  stat: (handle) => handle.stat(),
  read: async (handle, buffer, offset, length, position) =>
    (await handle.read(buffer, offset, length, position)).bytesRead,
  write: async (handle, bytes, offset, length, position) =>
    (await handle.write(bytes, offset, length, position)).bytesWritten,
  truncate: (handle, length) => handle.truncate(length),
  sync: (handle) => handle.sync(),
  chmod: (handle, mode) => handle.chmod(mode),
  chown: (handle, uid, gid) => handle.chown(uid, gid),
  lstat: (path) => lstat(path),
  readlink: (path) => readlink(path),
  realpath: (path) => realpath(path),
  async readdir(path) {
    const items: DirectoryItem[] = [];
    for (const entry of await readdir(path, { withFileTypes: true, encoding: "buffer" })) {
      const name = decodeName(entry.name);
      if (name === undefined) continue;
      const kind = entry.isFile()
        ? "file"
        : entry.isDirectory()
          ? "directory"
          : entry.isSymbolicLink()
            ? "link"
            : "other";
      items.push({ name, kind });
    }
    return items;
  },
  mkdir: (path) => mkdir(path),
  writable: (path) =>
    access(path, constants.W_OK).then(
      () => true,
      (error: unknown) => !isErrno(error, "EACCES", "EPERM"),
    ),
  link,
  rename,
  unlink,
  lstatSync: (path) => lstatSync(path),
  realpathSync: (path) => realpathSync(path),
  renameSync,
  linkSync,
  unlinkSync,
};

/** Whole small files, for locks: they lie on a local disk, and a wait there would only add steps to race with. */
export const lockOps = {
  create(path: string, content: string): void {
    const fd = openSync(path, "wx", 0o600);
    try {
      writeSync(fd, content);
    } finally {
      closeSync(fd);
    }
  },
  read: (path: string): string => readFileSync(path, "utf8"),
};

function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
