import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { type DataStreamDefinition, defineDataStream, IkigaiError } from "@ikigai/core";
import { z } from "zod";
import { type ChangeLog, createChangeLog } from "./change-log.ts";
import { fileOps } from "../file-ops.ts";
import { createIgnoreRules } from "../list/ignore-rules.ts";
import { watchFiles } from "./watch-files.ts";

/** What the changes of a folder are followed with. */
export interface FileChangesOptions {
  /** The folder. Absolute, or relative to the current one. */
  readonly root: string;
  /** The mount whose addresses the events name. Default `file`. */
  readonly mount?: string | undefined;
  /** Whether `.gitignore` files hide paths. Default true. */
  readonly gitignore?: boolean | undefined;
  /** More patterns to hide, in the syntax of `.gitignore`. */
  readonly ignore?: readonly string[] | undefined;
}

const fileChangesOptions: z.ZodType<FileChangesOptions> = z.strictObject({
  root: z.string().min(1),
  mount: z.string().min(1).optional(),
  gitignore: z.boolean().optional(),
  ignore: z.array(z.string()).optional(),
});

interface Shared {
  readonly log: ChangeLog;
  readonly stop: AbortController;
  users: number;
}

/** One log per folder and process, so that a cursor of one instance means the same to another. */
const shared = new Map<string, Shared>();

/** Changes of the files below a folder, as events: replayed from memory, the latest 10,000 of them. */
export const fileChanges: DataStreamDefinition<FileChangesOptions> = defineDataStream({
  name: "file-changes",
  capabilities: ["replay"],
  options: fileChangesOptions,
  guidance: (mount) =>
    `${mount} reports files that were created, updated or removed on disk. Load a changed file again before editing it.`,
  async open(options: FileChangesOptions, host) {
    const realPath = realPathOf(options.root);
    const key = JSON.stringify([realPath, options.mount, options.gitignore, options.ignore]);
    const used = shared.get(key) ?? start(realPath, options, (message) => host.warn(message));
    shared.set(key, used);
    used.users++;
    const closing = new AbortController();
    return {
      events: ({ signal, after }) => used.log.follow(AbortSignal.any([signal, closing.signal]), after),
      async close() {
        if (closing.signal.aborted) return;
        closing.abort();
        used.users--;
        if (used.users > 0) return;
        shared.delete(key);
        used.stop.abort();
      },
    };
  },
});

function start(realPath: string, options: FileChangesOptions, warn: (message: string) => void): Shared {
  const log = createChangeLog(options.mount ?? "file");
  const stop = new AbortController();
  const gitignore = options.gitignore ?? true;
  const ignored = createIgnoreRules({ gitignore, patterns: options.ignore ?? [], ops: fileOps, warn });
  const changes = watchFiles({ realPath, ignored, gitignore, signal: stop.signal });
  void (async () => {
    try {
      for await (const change of changes) log.add(change);
    } catch (error) {
      log.fail(error);
    }
  })();
  return { log, stop, users: 0 };
}

function realPathOf(root: string): string {
  const path = resolve(root);
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new IkigaiError("not_found", `${path} is not a folder`, { hint: "Name an existing folder as root.", cause });
  }
}
