import {
  type TextFeatures,
  type TextReader,
  formatAddress,
  IkigaiError,
  messageOf,
  type WriteOptions,
} from "@ikigai/core";
import { overrideSource } from "@ikigai/core/host";
import { changedPath, removedPath } from "./changed-path.ts";
import type { Journal, JournalEntry, JournalState } from "./journal.ts";

type Source = TextReader & Partial<TextFeatures>;

export interface JournalledOptions {
  readonly mount: string;
  /** Whose texts they are, such as the folder on this machine. */
  readonly owner: string;
  /** Contract: rejects with `unavailable` when there is no store, and then nothing is written. */
  journal(): Promise<Journal>;
  /** Receives a warning when a change was made and its end could not be written to the journal. */
  warn(message: string): void;
  /** Told of each path whose change was tried, once it is made or has failed. */
  changed?(path: string): void;
}

const TRIES = 20;
/** A longer text is read again rather than remembered. */
const MAX_REMEMBERED = 4_000_000;

/**
 * A source whose changes are written down before they are made, and settled after.
 *
 * Contract: no change goes unjournalled, and the `before` of an entry is exactly what the change replaced: a write that
 * says nothing of a version is made against the one that was read, and tried again when that changed. An entry names the
 * text that was changed, links followed, so that it can be taken back whatever becomes of the links.
 */
export function journalledSource(source: Source, options: JournalledOptions): Source {
  /** What was read last: who writes has mostly just read what the write replaces. */
  let last: (JournalState & { readonly path: string }) | undefined;

  const read: Source["read"] = async (path, call) => {
    const found = await source.read(path, call);
    last =
      found === undefined || found.text.length > MAX_REMEMBERED
        ? undefined
        : { path, text: found.text, version: found.version };
    return found;
  };

  /** Contract: the text of `expected` when one is named, since nothing else is replaced then; else what is there now. */
  async function stateOf(path: string, call: WriteOptions): Promise<JournalState | undefined> {
    const known = last;
    last = undefined;
    if (known?.path === path && known.version === call.expected) return { text: known.text, version: known.version };
    return readState(source, path, call);
  }

  const { write, remove } = source;
  return overrideSource(source, {
    read,
    ...(write !== undefined && {
      write: (path, text, call = {}) =>
        again(call.expected === undefined, async () => {
          const before = await stateOf(path, call);
          const expected = call.expected === undefined ? (before?.version ?? null) : call.expected;
          const states = { ...(before !== undefined && { before }), after: { text, version: "" } };
          return journalled(options, changedPath(source, path), call, states, () =>
            write.call(source, path, text, { ...call, expected }),
          );
        }),
    }),
    ...(remove !== undefined && {
      remove: (path, call = {}) =>
        again(call.expected === undefined, async () => {
          const before = await stateOf(path, call);
          const guarded =
            call.expected === undefined && before !== undefined ? { ...call, expected: before.version } : call;
          const changed = call.keepsLink === true ? changedPath(source, path) : removedPath(source, path);
          await journalled(options, changed, call, before === undefined ? {} : { before }, async () => {
            await remove.call(source, path, guarded);
            return {};
          });
        }),
    }),
  });
}

/** Makes a change between its announcement and its end in the journal. */
async function journalled<T extends { readonly version?: string }>(
  options: JournalledOptions,
  path: string,
  call: Pick<WriteOptions, "actor" | "reason" | "undoes">,
  states: Pick<JournalEntry, "before" | "after">,
  make: () => Promise<T>,
): Promise<T> {
  const { mount, owner, warn } = options;
  const journal = await options.journal();
  const { actor, reason, undoes } = call;
  const uri = formatAddress({ mount, path });
  const id = await journal.intend({
    uri,
    owner,
    agent: actor?.agent ?? owner,
    ...(actor && { actor }),
    ...(reason !== undefined && { reason }),
    ...(undoes !== undefined && { undoes }),
    ...states,
  });
  // The change is made, or it is not; that its end could not be written down must not say otherwise.
  const settle = async (end: Parameters<Journal["settle"]>[1]): Promise<void> => {
    try {
      await journal.settle(id, end);
    } catch (error) {
      warn(`the journal entry ${id} of ${uri} stays open: ${messageOf(error)}`);
    }
  };
  let made: T;
  try {
    made = await make().finally(() => options.changed?.(path));
  } catch (error) {
    await settle("failed");
    throw error;
  }
  await settle(made.version === undefined ? {} : { version: made.version });
  return made;
}

async function readState(
  source: Source,
  path: string,
  { signal, actor }: WriteOptions,
): Promise<JournalState | undefined> {
  const found = await source.read(path, { ...(signal && { signal }), ...(actor && { actor }) });
  return found && { text: found.text, version: found.version };
}

/** Repeats what somebody else came before, when the caller did not ask for a certain version. */
async function again<T>(repeat: boolean, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!repeat || tries >= TRIES || !IkigaiError.is(error, "conflict")) throw error;
    }
  }
}
