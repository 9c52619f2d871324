import {
  accessSync,
  close,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { isErrno } from "./file-errors.ts";

/** A file or a folder that is open. Contract: `fd` is -1 once it is closed, so that a number used again is never hit. */
export interface OpenFile {
  fd: number;
}

/**
 * Every call to the operating system that a source makes on its files.
 *
 * It is one object so that a test can let any single step fail, or stop there as a killed process would.
 */
export interface FileOps {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  close(handle: OpenFile): Promise<void>;
  /** For a file without a name: the disk frees it with the last handle, and that can wait for the syncs of others. */
  closeLast(handle: OpenFile): Promise<void>;
  stat(handle: OpenFile): Promise<Stats>;
  read(handle: OpenFile, buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  write(handle: OpenFile, bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  truncate(handle: OpenFile, length: number): Promise<void>;
  sync(handle: OpenFile): Promise<void>;
  chmod(handle: OpenFile, mode: number): Promise<void>;
  chown(handle: OpenFile, uid: number, gid: number): Promise<void>;
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

/** Up to here, moving bytes costs less than handing them to another thread and waiting for the answer. */
const AT_ONCE = 256 * 1024;
const syncLater = promisify(fsync);
const closeLater = promisify(close);

/**
 * The system's own calls. Those that only touch what the system has in memory are made at once: a save makes some thirty
 * of them, and each would wait longer for a thread than it takes. Syncs, long transfers and listings go to a thread.
 */
export const fileOps: FileOps = {
  open: async (path, flags, mode) => ({ fd: openSync(path, flags, mode) }),
  async close(handle) {
    const { fd } = handle;
    handle.fd = -1;
    closeSync(fd);
  },
  closeLast(handle) {
    const { fd } = handle;
    handle.fd = -1;
    return closeLater(fd);
  },
  stat: async ({ fd }) => fstatSync(fd),
  read: ({ fd }, buffer, offset, length, position) =>
    length <= AT_ONCE
      ? atOnce(() => readSync(fd, buffer, offset, length, position))
      : readLater(fd, buffer, offset, length, position),
  write: ({ fd }, bytes, offset, length, position) =>
    length <= AT_ONCE
      ? atOnce(() => writeSync(fd, bytes, offset, length, position))
      : writeLater(fd, bytes, offset, length, position),
  truncate: async ({ fd }, length) => ftruncateSync(fd, length),
  sync: ({ fd }) => syncLater(fd),
  chmod: async ({ fd }, mode) => fchmodSync(fd, mode),
  chown: async ({ fd }, uid, gid) => fchownSync(fd, uid, gid),
  lstat: async (path) => lstatSync(path),
  readlink: async (path) => readlinkSync(path),
  realpath: async (path) => realpathSync.native(path),
  async readdir(path) {
    const items: DirectoryItem[] = [];
    for (const entry of await readdir(path, { withFileTypes: true, encoding: "buffer" })) {
      const { name: bytes, type } = namedType(entry, path);
      const name = decodeName(bytes);
      if (name !== undefined && type !== undefined) items.push({ name, kind: kindOf(type) });
    }
    return items;
  },
  mkdir: async (path) => mkdirSync(path),
  async writable(path) {
    try {
      accessSync(path, constants.W_OK);
      return true;
    } catch (error) {
      return !isErrno(error, "EACCES", "EPERM");
    }
  },
  link: async (from, to) => linkSync(from, to),
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  lstatSync: (path) => lstatSync(path),
  realpathSync: (path) => realpathSync.native(path),
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

async function atOnce<Result>(work: () => Result): Promise<Result> {
  return work();
}

async function readLater(fd: number, buffer: Uint8Array, offset: number, length: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, offset, length, at, (error, done) => (error === null ? resolve(done) : reject(error)));
  });
}

async function writeLater(fd: number, bytes: Uint8Array, offset: number, length: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, offset, length, at, (error, done) => (error === null ? resolve(done) : reject(error)));
  });
}

function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

type EntryType = Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink">;

/** Bun gives the bare name of an entry where Node gives the entry. Contract: no type when it is gone by now. */
export function namedType(
  entry: (EntryType & { readonly name: Uint8Array }) | Uint8Array,
  folder: string,
): { readonly name: Uint8Array; readonly type: EntryType | undefined } {
  if (!(entry instanceof Uint8Array)) return { name: entry.name, type: entry };
  const path = Buffer.concat([Buffer.from(`${folder}/`), entry]);
  return { name: entry, type: lstatSync(path, { throwIfNoEntry: false }) };
}

function kindOf(type: EntryType): DirectoryItem["kind"] {
  if (type.isFile()) return "file";
  if (type.isDirectory()) return "directory";
  return type.isSymbolicLink() ? "link" : "other";
}
