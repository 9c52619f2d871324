import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { IkigaiError, messageOf } from "@ikigai/core";
import { createQueueByKey } from "../queue-by-key.ts";
import { lockFolder } from "./folder-lock.ts";

/** What is stored at one moment. */
export interface DocumentView {
  get<T extends object>(kind: string, id: string): Promise<T | undefined>;
  list<T extends object>(kind: string): Promise<readonly T[]>;
}

/** A change in the making; it sees what it has set itself. */
export interface DocumentChange extends DocumentView {
  set(kind: string, id: string, document: object): void;
  remove(kind: string, id: string): void;
}

/**
 * Documents of JSON in a folder, by kind and id.
 *
 * Contract: a change is stored whole or not at all, also when the process ends halfway, and one after the other, also
 * between processes. A look at a folder that is not there makes nothing.
 */
export interface Documents {
  look<T>(work: (view: DocumentView) => Promise<T>): Promise<T>;
  change<T>(work: (change: DocumentChange) => Promise<T>): Promise<T>;
  /** A document as it is on the disk at this moment; absent: there is none. Contract: waits for nobody; a change under way may not be in it. */
  peek(kind: string, id: string): unknown;
}

/** Files of a change that was decided and may not have reached all of them. */
const COMMIT = "commit.json";
const SUFFIX = ".json";

/** By file, relative to the folder: its text, or `null` for one that goes. */
type Writes = Map<string, string | null>;

export function createDocuments(folder: string): Documents {
  const queue = createQueueByKey();

  async function locked<T>(work: () => Promise<T>): Promise<T> {
    using _turn = await queue.enter("");
    await using _lock = await lockFolder(folder);
    await finishCommit(folder);
    // Awaited here, so that the lock is held until it is done.
    return await work();
  }

  return {
    async look(work) {
      if (!(await isThere(folder))) return work(createView(folder, new Map()));
      return locked(() => work(createView(folder, new Map())));
    },
    async change(work) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return locked(async () => {
        const writes: Writes = new Map();
        const result = await work({
          ...createView(folder, writes),
          set: (kind, id, document) => void writes.set(fileOf(kind, id), `${JSON.stringify(document)}\n`),
          remove: (kind, id) => void writes.set(fileOf(kind, id), null),
        });
        await commit(folder, writes);
        return result;
      });
    },
    peek(kind, id) {
      const path = join(folder, fileOf(kind, id));
      const text = readTextNow(path);
      return text === undefined ? undefined : parse(path, text);
    },
  };
}

function createView(folder: string, writes: Writes): DocumentView {
  const read = async (file: string): Promise<string | undefined> => {
    const written = writes.get(file);
    return written === undefined ? readText(join(folder, file)) : (written ?? undefined);
  };
  return {
    async get<T extends object>(kind: string, id: string) {
      const file = fileOf(kind, id);
      const text = await read(file);
      return text === undefined ? undefined : (parse(join(folder, file), text) as T);
    },
    async list<T extends object>(kind: string) {
      const present = await readdir(join(folder, kind)).catch(() => []);
      const files = new Set(present.filter((name) => name.endsWith(SUFFIX)).map((name) => join(kind, name)));
      for (const file of writes.keys()) if (dirname(file) === kind) files.add(file);
      const texts = await Promise.all([...files].toSorted().map(async (file) => ({ file, text: await read(file) })));
      return texts.flatMap(({ file, text }) => (text === undefined ? [] : [parse(join(folder, file), text) as T]));
    },
  };
}

/** Any id can be a file's name this way, on every file system; the document says its id itself. */
function fileOf(kind: string, id: string): string {
  return join(kind, `${createHash("sha256").update(id).digest("hex").slice(0, 32)}${SUFFIX}`);
}

async function commit(folder: string, writes: Writes): Promise<void> {
  if (writes.size === 0) return;
  try {
    if (writes.size > 1) await writeSafely(join(folder, COMMIT), JSON.stringify([...writes]));
    await apply(folder, writes);
    if (writes.size > 1) await rm(join(folder, COMMIT));
  } catch (cause) {
    throw new IkigaiError("unavailable", `${folder} cannot be written to: ${messageOf(cause)}`, {
      hint: "Make room on the disk, or mend its permissions.",
      cause,
    });
  }
}

/** Makes the change that a process decided and did not finish. */
async function finishCommit(folder: string): Promise<void> {
  const text = await readText(join(folder, COMMIT));
  if (text === undefined) return;
  await apply(folder, new Map(parse(join(folder, COMMIT), text) as [string, string | null][]));
  await rm(join(folder, COMMIT));
}

async function apply(folder: string, writes: Writes): Promise<void> {
  const applyOne = async ([file, text]: [string, string | null]): Promise<void> => {
    const path = join(folder, file);
    if (text === null) return rm(path, { force: true });
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeSafely(path, text);
  };
  // All are awaited also when one fails, so that nothing is still written when the lock is given up.
  const applied = await Promise.allSettled([...writes].map(applyOne));
  for (const one of applied) if (one.status === "rejected") throw one.reason;
}

/** Contract: the file has its old text or the new one, whenever the machine stops. */
async function writeSafely(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    return absentOrThrow(path, error);
  }
}

function readTextNow(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return absentOrThrow(path, error);
  }
}

function absentOrThrow(path: string, error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw new IkigaiError("unavailable", `${path} cannot be read: ${messageOf(error)}`, { cause: error });
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new IkigaiError("unavailable", `${path} is damaged: ${messageOf(cause)}`, {
      hint: "Restore it from a backup, or move it away.",
      cause,
    });
  }
}

async function isThere(folder: string): Promise<boolean> {
  return readdir(folder).then(
    () => true,
    () => false,
  );
}
