import type { MirroredText, RecallCall, RecallStore } from "./contract.ts";

/** A text that lives elsewhere, as far as it must be known to tell whether its copy is up to date. */
export interface Original {
  readonly address: string;
  readonly version: string;
  /** The text itself. Contract: absent when it has gone meanwhile, or cannot be read by this owner after all. */
  load(): Promise<Omit<MirroredText, "kind" | "address" | "version"> | undefined>;
}

const BATCH = 50;
const LONGEST = 100_000;

/**
 * Makes the copies of one kind what their originals are now.
 *
 * Contract: `originals` are all that the owner may see; the copy of any other is removed. Only what changed is loaded.
 */
export async function refreshCopies(
  store: RecallStore,
  kind: MirroredText["kind"],
  originals: AsyncIterable<Original> | Iterable<Original>,
  call: RecallCall,
): Promise<void> {
  const gone = new Set<string>();
  const copies = await store.copies(kind, call);
  for (const address of copies.keys()) gone.add(address);
  let waiting: MirroredText[] = [];
  for await (const { address, version, load } of originals) {
    if (copies.get(address) === version) {
      gone.delete(address);
      continue;
    }
    const text = await load();
    if (text === undefined || text.content.trim() === "") continue;
    gone.delete(address);
    waiting.push({ ...text, content: cut(text.content), kind, address, version });
    if (waiting.length < BATCH) continue;
    await store.mirror(waiting, call);
    waiting = [];
  }
  if (waiting.length > 0) await store.mirror(waiting, call);
  if (gone.size > 0) await store.unmirror([...gone], call);
}

/** The beginning of a long text, without half a character at its end. */
function cut(text: string): string {
  const start = text.slice(0, LONGEST);
  return start.isWellFormed() ? start : start.slice(0, -1);
}
