import type { Stats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { z } from "zod";
import { makePrivateFolder } from "./private-folder.ts";
import { readSmallFile } from "./small-file.ts";

/** A small JSON file of ours that several processes may change. */
export interface JsonFile<T> {
  /** Contract: the empty value when there is no file; `invalid_input` for one that does not fit, never a silent reset. */
  read(): Promise<T>;
  /** Applies `change` to what the file holds now. Contract: no update of another process is lost. */
  update(change: (present: T) => T): Promise<T>;
}

const LOCK_TRIES = 400;
const LOCK_PAUSE_MS = 5;
const STALE_LOCK_MS = 10_000;
const MAX_BYTES = 67_108_864;

export interface JsonFileOptions {
  /** Looks at the file whose content is used, before it is used. What it throws is what `read` rejects with. */
  readonly check?: (stats: Stats) => void;
}

/** Contract: the file and its folder are readable by their owner only; one that is not regular is `unavailable`. */
export function createJsonFile<T>(
  path: string,
  schema: z.ZodType<T>,
  empty: T,
  { check }: JsonFileOptions = {},
): JsonFile<T> {
  const read = async (): Promise<T> => {
    const file = await readSmallFile(path, MAX_BYTES);
    if (file === undefined) return empty;
    check?.(file.stats);
    const checked = schema.safeParse(parse(file.bytes.toString("utf8")));
    if (checked.success) return checked.data;
    throw new IkigaiError("invalid_input", `${path} is damaged: ${z.prettifyError(checked.error)}`, {
      hint: "Correct it, or move it away to start afresh.",
    });
  };

  return {
    read,
    async update(change) {
      await makePrivateFolder(dirname(path));
      await using _lock = await lock(`${path}.lock`);
      const next = change(await read());
      const temporary = `${path}.${process.pid}.tmp`;
      const handle = await open(temporary, "w", 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(next, undefined, 2)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, path);
      return next;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Exclusive between processes; a lock left by a process that died is taken over. */
async function lock(path: string): Promise<AsyncDisposable> {
  for (let tries = 0; tries < LOCK_TRIES; tries++) {
    try {
      const handle = await open(path, "wx", 0o600);
      await handle.close();
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    await removeIfStale(path);
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
  }
  throw new IkigaiError("unavailable", `${path} is held by another process`, { hint: "Try again in a moment." });
}

async function removeIfStale(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => undefined);
  const age = handle === undefined ? 0 : Date.now() - (await handle.stat()).mtimeMs;
  await handle?.close();
  if (age > STALE_LOCK_MS) await rm(path, { force: true });
}
