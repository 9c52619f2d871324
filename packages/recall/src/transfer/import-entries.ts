import type { RecallCall, RecallStore } from "../contract.ts";
import type { NewEntry } from "../contract.ts";
import { contentHash } from "../entry/content-hash.ts";
import { readLine } from "./read-line.ts";

/** Progress of an import. */
export interface ImportProgress {
  /** The last line that is done; the place to resume at is the next. */
  readonly line: number;
  readonly stored: number;
  /** Entries that were there already. */
  readonly recognised: number;
}

export interface ImportOptions extends RecallCall {
  /** Entries stored together. Default 200. */
  readonly batch?: number;
  /** Lines up to this one were imported before. Default 0. */
  readonly afterLine?: number;
  /** Contract: must not throw. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Stores the entries of JSON lines: what `exportEntries` wrote, bare texts, or the MCP memory server's file.
 *
 * Contract: `invalid_input` names a line that cannot be read, and everything before it is stored. Importing again
 * stores nothing twice; `afterLine` only saves the time.
 */
export async function importEntries(
  store: RecallStore,
  lines: AsyncIterable<string> | Iterable<string>,
  { batch = 200, afterLine = 0, onProgress, ...call }: ImportOptions,
): Promise<ImportProgress> {
  const ids = new Map<string, string>();
  let before: Promise<ReadonlyMap<string, string>> | undefined;
  const waiting: { entry: NewEntry; name?: string }[] = [];
  let progress: ImportProgress = { line: afterLine, stored: 0, recognised: 0 };

  const flush = async (line: number): Promise<void> => {
    const results = await store.insert(
      waiting.map(({ entry }) => entry),
      call,
    );
    for (const [i, { name }] of waiting.entries()) if (name !== undefined) ids.set(name, results[i]?.id as string);
    const stored = results.filter((one) => one.stored).length;
    waiting.length = 0;
    progress = { line, stored: progress.stored + stored, recognised: progress.recognised + results.length - stored };
    onProgress?.(progress);
  };

  let number = 0;
  for await (const text of lines) {
    number += 1;
    // A later line may correct one that was imported before, so that one must be known.
    if ((number <= afterLine && !text.includes('"superseded_by"')) || text.trim() === "") continue;
    call.signal?.throwIfAborted();
    const { entries, id, corrected } = await readOrFlush(text, number);
    for (const { supersedes, ...entry } of entries) {
      const name = corrected ? id : undefined;
      const known =
        name === undefined
          ? undefined
          : (await (before ??= correctedBefore(store, call))).get(keyOf(name, entry.content));
      if (known !== undefined) {
        progress = { ...progress, recognised: progress.recognised + 1 };
        continue;
      }
      if (supersedes !== undefined) await flush(number - 1);
      const old = supersedes === undefined ? undefined : ids.get(supersedes);
      waiting.push({
        entry: { ...entry, ...(old !== undefined && { supersedes: old }) },
        ...(name !== undefined && { name }),
      });
    }
    if (waiting.length >= batch) await flush(number);
  }
  await flush(number);
  return progress;

  /** Reads one line. Entries before a bad line are stored before it is reported. */
  async function readOrFlush(text: string, line: number): Promise<ReturnType<typeof readLine>> {
    try {
      return readLine(text, line);
    } catch (error) {
      await flush(line - 1);
      throw error;
    }
  }
}

/** Entries of an earlier import that were corrected since: no live entry has their content any more. */
async function correctedBefore(store: RecallStore, call: RecallCall): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let after: string | undefined;
  for (;;) {
    call.signal?.throwIfAborted();
    const page = await store.scan(after === undefined ? {} : { after }, call);
    for (const { id, content, provenance, supersededBy } of page) {
      const name = provenance["imported_id"];
      if (supersededBy !== undefined && typeof name === "string") found.set(keyOf(name, content), id);
    }
    after = page.at(-1)?.id;
    if (after === undefined) return found;
  }
}

function keyOf(name: string, content: string): string {
  return `${name} ${contentHash(content)}`;
}
