import { type AnyTool, messageOf, type ToolContext } from "@ikigai/core";
import {
  ASSET_MOUNT,
  type Embedder,
  HOST_MOUNT,
  type IndexStore,
  OUTPUT_MOUNT,
  requireCapability,
  type SeenVersions,
  type SourceManager,
  WORKSPACE_MOUNT,
} from "@ikigai/core/host";
import { createNoteIndex } from "../index-store/create-note-index.ts";
import type { IndexProgress, NoteIndex } from "../index-store/note-index.ts";
import { noteRowCodec } from "../index-store/note-row-codec.ts";
import { createMemoryIntentStore, createSourceIntentStore, type IntentStore } from "../rename/intent-store.ts";
import { recoverRenames } from "../rename/recover-renames.ts";
import { createKnowledgeRepository } from "../repository/create-repository.ts";
import type { KnowledgeRepository } from "../repository/knowledge-repository.ts";
import type { EmbedProgress } from "../search/note-vectors.ts";
import { createNoteTools } from "../tools/create-note-tools.ts";
import { WORTH_SHOWING } from "./index-progress.ts";

/** Notes over the workspace, the stored assets and every other mounted source of text. */
export interface Notes {
  readonly index: NoteIndex;
  readonly repository: KnowledgeRepository;
  readonly tools: readonly AnyTool[];
  /**
   * Keeps the index up with changes from outside, for a host that lives for a while.
   *
   * Contract: begins when a note is first asked for, and ends when it is disposed of; a fault is told, never thrown.
   */
  follow(complain: (message: string) => void): AsyncDisposable;
}

const INTENTS = "system/renames/";

export interface NotesOptions {
  /** What each conversation has seen, whichever tool showed it. */
  readonly seen: SeenVersions;
  /** The mount that a new note is made in unless its name says otherwise. Default: the workspace. */
  readonly home?: string;
  /** Makes search by meaning and relations by meaning possible. */
  readonly embedder?: Embedder | undefined;
  /** Where the index outlives the process. Absent: nowhere. */
  readonly store?: IndexStore | undefined;
  /** Mounts whose texts are no notes. Default: none. */
  readonly exclude?: readonly string[];
  /** Called with the progress of the first look at the notes. */
  readonly onProgress?: (progress: IndexProgress) => void;
  /** Called with the number of notes that have a vector, while they are embedded. */
  readonly onEmbedProgress?: (progress: EmbedProgress) => void;
  /** Receives warnings for the operator. */
  readonly warn?: (message: string) => void;
}

/**
 * Contract: costs nothing until a note is asked for; then what a crash interrupted is finished first. Without a store the
 * workspace's notes are read anew by each process, and a rename that a crash interrupts is not finished by the next.
 */
export function openNotes(
  sources: SourceManager,
  agent: string,
  { seen, home = WORKSPACE_MOUNT, embedder, store, exclude = [], onProgress, onEmbedProgress, warn }: NotesOptions,
): Notes {
  const actor = { agent, conversation: "notes", callId: "index", tool: "notes" };
  const noteRows = store?.rows(noteRowCodec);
  const plain = createNoteIndex({
    sources,
    actor,
    mounts: () => noteMounts(sources, [...exclude, ...(noteRows === undefined ? [ASSET_MOUNT] : [])]),
    onMountFailure: (mount, error) => warn?.(`notes of ${mount}:/// are left out for now: ${messageOf(error)}`),
    ...(noteRows !== undefined && { store: noteRows }),
  });
  const intents = noteRows === undefined ? createMemoryIntentStore() : lazyIntents(sources);
  const running = new Set<ToolContext>();
  const { index, follow } = attend(plain, {
    recover: () => recoverRenames({ sources, intents }),
    onProgress(progress) {
      onProgress?.(progress);
      tell("Indexing", progress);
    },
    async prepare(signal) {
      await repository.embedNotes({ actor, signal });
    },
  });
  function tell(doing: string, { done, total }: EmbedProgress): void {
    if (total < WORTH_SHOWING) return;
    for (const context of running) context.progress(`${doing} notes: ${done} of ${total}`);
  }
  const repository = createKnowledgeRepository({
    sources,
    index,
    intents,
    home: `${home}:///`,
    ...(embedder && { embedder }),
    ...(embedder?.batch !== undefined && { embedAtOnce: embedder.batch }),
    ...(store !== undefined && { vectors: store.vectors }),
    ...(warn && { warn }),
    onEmbedProgress(progress) {
      onEmbedProgress?.(progress);
      tell("Embedding", progress);
    },
  });
  return {
    index,
    repository,
    tools: createNoteTools({ repository, seen }).map((tool) => ({
      ...tool,
      async run(input: unknown, context: ToolContext) {
        running.add(context);
        try {
          return await tool.run(input, context);
        } finally {
          running.delete(context);
        }
      },
    })),
    follow,
  };
}

/** Every mounted source of text but the whole machine, what tools said, and what the user excludes. */
function noteMounts(sources: SourceManager, exclude: readonly string[]): readonly string[] {
  const without = new Set([HOST_MOUNT, OUTPUT_MOUNT, ...exclude]);
  return sources.status().flatMap(({ kind, mount }) => (kind === "block" && !without.has(mount) ? [mount] : []));
}

/** Intents are text in the store, so that they outlive the process. */
function lazyIntents(sources: SourceManager): IntentStore {
  const open = (): IntentStore => {
    const route = sources.routePrefix(`${ASSET_MOUNT}:///`);
    requireCapability(route, "remove");
    return createSourceIntentStore(
      requireCapability(route, "write") as Parameters<typeof createSourceIntentStore>[0],
      INTENTS,
    );
  };
  return {
    save: async (intent) => open().save(intent),
    list: async () => open().list(),
    remove: async (id) => open().remove(id),
  };
}

interface Attendance {
  readonly recover: () => Promise<unknown>;
  readonly onProgress: (progress: IndexProgress) => void;
  /** Background work once the notes are known, such as embedding them. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
}

/** An index that looks after itself: what a crash interrupted is finished before its first look, changes are followed. */
function attend(index: NoteIndex, { recover, onProgress, prepare }: Attendance): Pick<Notes, "index" | "follow"> {
  let recovered: Promise<unknown> | undefined;
  let startFollowing: (() => void) | undefined;
  let startPreparing: (() => void) | undefined;
  return {
    index: {
      ...index,
      async ready(options) {
        recovered ??= recover().catch((error: unknown) => {
          recovered = undefined;
          throw error;
        });
        await recovered;
        // Following starts before the first look, so that no change falls between the two.
        startFollowing?.();
        startFollowing = undefined;
        await index.ready({ onProgress, ...options });
        const start = startPreparing;
        startPreparing = undefined;
        start?.();
      },
    },
    follow(complain) {
      const stop = new AbortController();
      let following: Promise<void> | undefined;
      startFollowing = () => {
        const onError = (error: unknown): void => complain(`notes are not followed: ${messageOf(error)}`);
        following = index.follow({ signal: stop.signal, onError });
      };
      let preparing: Promise<void> | undefined;
      startPreparing = () => {
        preparing = prepare(stop.signal).catch((error: unknown) => {
          if (!stop.signal.aborted) complain(`notes are not embedded for now: ${messageOf(error)}`);
        });
      };
      return {
        async [Symbol.asyncDispose]() {
          startFollowing = undefined;
          startPreparing = undefined;
          stop.abort();
          await Promise.all([following, preparing]);
        },
      };
    },
  };
}
