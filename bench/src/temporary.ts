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

const active = new Set<() => Promise<void>>();

/** Cleans up when the user stops the run. Contract: then ends the process with 130. */
export function cleanUpOnSignal(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void Promise.allSettled([...active].map((cleanUp) => cleanUp())).then(() => process.exit(130));
    });
  }
}

/** Runs `work` and cleans up after it, also when it fails. */
export async function withTemporary<T>(work: (temporary: Temporary) => Promise<T>): Promise<T> {
  const undone: (() => Promise<unknown> | unknown)[] = [];
  const folder = async (): Promise<string> => {
    const made = await mkdtemp(join(tmpdir(), "ikigai-bench-"));
    undone.push(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
    return made;
  };
  const cleanUp = async (): Promise<void> => {
    active.delete(cleanUp);
    for (const undo of undone.splice(0).toReversed()) {
      await Promise.resolve()
        .then(undo)
        .catch((error: unknown) => process.stderr.write(`bench: cleaning up: ${String(error)}\n`));
    }
  };
  active.add(cleanUp);
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
    await cleanUp();
  }
}
