import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type TextEntry, type TextReader, type DataBlock, IkigaiError, messageOf, type SourceHost } from "@ikigai/core";
import { lowerPermission } from "@ikigai/core/host";
import { createContention } from "./save/contention.ts";
import { openRoot, type Root } from "./place/directory.ts";
import { asSourceError, escapes, isErrno } from "./file-errors.ts";
import { type FileOps, fileOps } from "./file-ops.ts";
import { createFileStore } from "./file-store.ts";
import { finalPlace, followOps } from "./place/final-place.ts";
import { createIgnoreRules } from "./list/ignore-rules.ts";
import { createLateLook } from "./save/late-look.ts";
import { listFiles } from "./list/list-files.ts";
import { lockFolder } from "./lock/lock-folder.ts";
import { DEFAULT_MAX_BYTES, type FileSourceOptions } from "./options.ts";
import { currentOwner, type Owner } from "./lock/owner.ts";
import { createPathLock, type PathLock } from "./lock/path-lock.ts";
import { createPlaceGuard, sharedFile } from "./place/place-guard.ts";
import { createRuleSet, type FileRule } from "./rules.ts";
import { sweepInterrupted } from "./save/sweep-folder.ts";
import { takenNames } from "./save/taken-names.ts";
import { absolutePath } from "./place/walk.ts";
import { watchFiles } from "./watch/watch-files.ts";

/** Parts that tests replace; not public options. */
export interface Internals {
  readonly ops?: FileOps;
  readonly owner?: Owner;
  readonly lockFolder?: () => string;
  /** Whether folders are reached through `/proc/self/fd`. Default: where that exists. */
  readonly procfs?: boolean;
}

/** What a source needs of its host. */
export type OpenHost = Pick<SourceHost, "warn"> & Partial<Pick<SourceHost, "mount" | "isOwn">>;

/** What the parts of this package know of an open source beyond its contract. */
export interface FileSourceParts {
  readonly root: Root;
  /** As the source lists, with folders and in one folder alone. */
  listFolder(prefix: string): AsyncIterable<TextEntry>;
  /** The tool's name as configured. */
  readonly tool: string | false | undefined;
  setRules(rules: readonly FileRule[]): void;
}

const PARTS = Symbol.for("ikigai.source-file");

export type FileBlock = DataBlock<"write" | "remove" | "watch">;

export async function openFileSource(
  options: FileSourceOptions,
  host: OpenHost,
  internals: Internals = {},
): Promise<FileBlock> {
  const { ops = fileOps, owner = currentOwner(), procfs = existsSync("/proc/self/fd") } = internals;
  const rules = createRuleSet(options.rules ?? []);
  const root = await openRootOrExplain(resolve(options.root), ops, procfs);
  const warn = (message: string): void => host.warn(message);
  const save = { ops, owner, warn };
  const { folder, lock } = openLock(internals, owner, ops, warn);
  const gitignore = options.gitignore ?? true;
  const ignored = createIgnoreRules({
    gitignore,
    patterns: options.ignore ?? [],
    ops,
    warn,
  });
  await sweepInterrupted(root, lock, save);
  const late = createLateLook(root, save);
  const absolute = (path: string): string => absolutePath(root, path);
  const isOwn = (path: string): boolean => host.isOwn?.(path) ?? false;
  const store = createFileStore({
    root,
    lock,
    save: { ...save, displaced: (file) => late.keep(file) },
    contention: createContention(folder),
    maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
    guard: createPlaceGuard({ mount: host.mount ?? "file", absolute, isOwn }),
    permission: (path) => rules.permission(path),
  });
  const absent = {
    look: store.look,
    taken: (below: string, since: number) => takenNames(below, since, folder),
  };
  const parts: FileSourceParts = {
    root,
    listFolder: (prefix) => listFiles(root, prefix, ignored, absent, { shallow: true, folders: true, isOwn }),
    tool: options.tool,
    setRules: (next) => rules.replace(next),
  };
  const busy = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let closed = false;

  function track<Result>(work: () => Promise<Result>): Promise<Result> {
    if (closed) return Promise.reject(closedError(root.realPath));
    const running = work();
    busy.add(running);
    return running.finally(() => busy.delete(running));
  }

  async function* list(prefix: string, signal: AbortSignal | undefined): AsyncGenerator<TextEntry> {
    if (closed) throw closedError(root.realPath);
    try {
      yield* listFiles(root, prefix, ignored, absent, { signal, isOwn });
    } catch (error) {
      throw asSourceError(error, `Listing ${prefix === "" ? root.realPath : prefix}`);
    }
  }

  const source: FileBlock = {
    read: (path, readOptions = {}) => track(() => store.read(path, readOptions)),
    write: (path, text, writeOptions = {}) => track(() => store.write(path, text, writeOptions)),
    remove: (path, removeOptions = {}) => track(() => store.remove(path, removeOptions)),
    list: (prefix, { signal } = {}) => list(prefix, signal),
    watch: ({ signal }) =>
      watchFiles({
        realPath: root.realPath,
        ignored,
        gitignore,
        signal: AbortSignal.any([signal, closing.signal]),
      }),
    label: (path) => labelOf(root.realPath, path),
    localRoot: () => root.realPath,
    follow: (path) => followPath(root, path),
    permission(path) {
      const own = rules.permission(path);
      return rules.isEmpty() ? own : lowerPermission(own, rules.permission(storedPath(root, path)));
    },
    permissionOrigin(path) {
      const real = storedPath(root, path);
      const own = rules.permission(path);
      return rules.origin(lowerPermission(own, rules.permission(real)) === own ? path : real);
    },
    async close() {
      if (closed) return;
      closed = true;
      closing.abort();
      await Promise.allSettled(busy);
      await late.finish();
      await root.directory.close();
    },
  };
  // An own property, so that it survives in a copy of the source that somebody wrapped.
  return Object.assign(source, { [PARTS]: parts });
}

/** Reading needs no lock, so a folder for locks that cannot be had refuses only changes. */
function openLock(
  { lockFolder: find = () => lockFolder() }: Internals,
  owner: Owner,
  ops: FileOps,
  warn: (message: string) => void,
): { folder: string; lock: PathLock } {
  const unlink = (path: string): void => ops.unlinkSync(path);
  try {
    const folder = find();
    return { folder, lock: createPathLock({ folder, owner, unlink, warn }) };
  } catch (error) {
    const reason = asSourceError(error, "Locking files");
    warn(`nothing can be changed here: ${messageOf(reason)}`);
    const lock: PathLock = { enter: () => Promise.reject(reason), isLocked: () => false, interruptedPaths: () => [] };
    return { folder: "", lock };
  }
}

function closedError(realPath: string): IkigaiError {
  return new IkigaiError("unavailable", `The source of ${realPath} is closed`, { hint: "Mount it again." });
}

/** Contract: `undefined` for a source that is not a folder on disk. */
export function partsOf(source: object): FileSourceParts | undefined {
  return (source as { [PARTS]?: FileSourceParts })[PARTS];
}

function labelOf(root: string, path: string): string {
  const name = hash("sha256", `${root === "/" ? "" : root}/${path}`, "hex");
  return `file:${name.slice(0, 8)}:${path}`;
}

type FollowedPath = ReturnType<NonNullable<TextReader["follow"]>>;

/** Contract: `permission_denied` when `path` leads out of the root. */
function followPath({ realPath }: Root, path: string): FollowedPath {
  const { path: local, spelled, stat } = finalPlace(`${realPath}/${path}`, followOps);
  const stored = insideOf(realPath, local);
  const inside = insideOf(realPath, spelled) ?? stored;
  if (stored === undefined || inside === undefined) throw escapes(path);
  const file = sharedFile(stat);
  return { path: inside, stored, local, ...(file !== undefined && { file }) };
}

function insideOf(root: string, path: string): string | undefined {
  if (path === root) return "";
  const folder = root === "/" ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

/** The path that rules are held against besides the one that was asked for. What leads out is refused when it is used. */
function storedPath(root: Root, path: string): string {
  try {
    return followPath(root, path).stored;
  } catch {
    return path;
  }
}

async function openRootOrExplain(path: string, ops: FileOps, procfs: boolean): Promise<Root> {
  try {
    return await openRoot(path, ops, procfs);
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR")) throw asSourceError(error, `Opening ${path}`);
    throw new IkigaiError("not_found", `${path} is not a folder`, {
      hint: "Name an existing folder as root.",
      cause: error,
    });
  }
}
