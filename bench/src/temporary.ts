import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopKeeper } from "@ikigai/database";

/** What a benchmark opened, undone in reverse order. */
export interface Temporary {
  /** A new folder. */
  folder(): Promise<string>;
  /** A folder for an embedded store, whose keeper is stopped. `inside` is where the store lies in it. */
  store(inside?: string): Promise<string>;
  /** Runs `undo` at the end. */
  defer(undo: () => Promise<unknown> | unknown): void;
}

/** Runs `work` and cleans up after it, also when it fails. */
export async function withTemporary<T>(work: (temporary: Temporary) => Promise<T>): Promise<T> {
  const undone: (() => Promise<unknown> | unknown)[] = [];
  const folder = async (): Promise<string> => {
    const made = await mkdtemp(join(tmpdir(), "ikigai-bench-"));
    undone.push(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
    return made;
  };
  try {
    return await work({
      folder,
      async store(inside = "") {
        const made = await folder();
        undone.push(() => stopKeeper(join(made, inside)));
        return made;
      },
      defer: (undo) => void undone.push(undo),
    });
  } finally {
    for (const undo of undone.toReversed()) {
      await Promise.resolve()
        .then(undo)
        .catch((error: unknown) => process.stderr.write(`bench: cleaning up: ${String(error)}\n`));
    }
  }
}
