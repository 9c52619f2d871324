import { type TextChange, type DataBlock, type DataBlockDefinition, defineDataBlock, IkigaiError } from "@ikigai/core";
import { z } from "zod";

/** Text in memory, with the seams that tests of failures need. */
export interface MemoryBlock extends DataBlock<"write" | "remove" | "watch" | "history"> {
  readonly files: Map<string, { text: string; version: string; at: Date }>;
  /** Paths that were read, in order. */
  readonly reads: string[];
  /** Called before each write and removal; throwing makes it fail. */
  beforeWrite: (path: string) => void | Promise<void>;
  /** Called after each write and removal took place. */
  afterWrite: (path: string) => void;
  beforeRead: (path: string) => void;
  put(path: string, text: string, at?: Date): void;
}

let versions = 0;

export function createMemoryBlock(initial: Readonly<Record<string, string>> = {}): MemoryBlock {
  const files: MemoryBlock["files"] = new Map();
  const revisions = new Map<string, { text: string; version: string; at: Date }[]>();
  const listeners = new Set<(change: TextChange) => void>();
  let clock = Date.UTC(2024, 0, 1);

  function announce(path: string, change: TextChange["change"]): void {
    for (const listener of listeners) listener({ path, change });
  }

  const block: MemoryBlock = {
    files,
    reads: [],
    beforeWrite: () => undefined,
    afterWrite: () => undefined,
    beforeRead: () => undefined,
    put(path, text, at = new Date((clock += 1_000))) {
      const known = files.has(path);
      const state = { text, version: `v${(versions += 1)}`, at };
      files.set(path, state);
      revisions.set(path, [state, ...(revisions.get(path) ?? [])]);
      announce(path, known ? "updated" : "created");
    },
    async read(path) {
      block.beforeRead(path);
      block.reads.push(path);
      const file = files.get(path);
      return file && { text: file.text, version: file.version };
    },
    async *list(prefix) {
      for (const path of [...files.keys()].filter((one) => one.startsWith(prefix)).toSorted()) {
        const { text, at } = files.get(path) as { text: string; at: Date };
        yield { path, bytes: Buffer.byteLength(text), modifiedAt: at };
      }
    },
    async write(path, text, { expected } = {}) {
      await block.beforeWrite(path);
      const present = files.get(path);
      if (expected !== undefined && (present?.version ?? null) !== expected) throw conflict(path);
      block.put(path, text);
      block.afterWrite(path);
      const { version } = files.get(path) as { version: string };
      return { text, version };
    },
    async remove(path, { expected } = {}) {
      await block.beforeWrite(path);
      const present = files.get(path);
      if (present === undefined) throw new IkigaiError("not_found", `${path} is absent`);
      if (expected !== undefined && present.version !== expected) throw conflict(path);
      files.delete(path);
      announce(path, "removed");
      block.afterWrite(path);
    },
    async *watch({ signal }) {
      const queue: TextChange[] = [];
      let wake = (): void => undefined;
      const listener = (change: TextChange): void => {
        queue.push(change);
        wake();
      };
      listeners.add(listener);
      try {
        while (!signal.aborted) {
          const change = queue.shift();
          if (change !== undefined) yield change;
          else {
            await new Promise<void>((resolve) => {
              wake = resolve;
              signal.addEventListener("abort", () => resolve(), { once: true });
            });
          }
        }
      } finally {
        listeners.delete(listener);
      }
    },
    async *history(path) {
      yield* revisions.get(path) ?? [];
    },
  };
  for (const [path, text] of Object.entries(initial)) block.put(path, text);
  return block;
}

/** A source that opens `block`. */
export function memorySource(
  block: MemoryBlock,
): DataBlockDefinition<Record<string, never>, "write" | "remove" | "watch" | "history"> {
  return defineDataBlock({
    name: "memory",
    capabilities: ["write", "remove", "watch", "history"],
    options: z.strictObject({}),
    open: async () => block,
  });
}

function conflict(path: string): IkigaiError {
  return new IkigaiError("conflict", `${path} has another version`);
}
