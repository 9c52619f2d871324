import { type AnyTool, requireCapability, type SourceManager } from "@ikigai/core";
import {
  createKnowledgeRepository,
  createMemoryIntentStore,
  createNoteIndex,
  createNoteTools,
  createSourceIntentStore,
  type IntentStore,
  type KnowledgeRepository,
  type NoteIndex,
  recoverRenames,
} from "@ikigai/notes";
import { ASSETS, WORKSPACE } from "./host-policy.ts";
import type { LazyStore } from "./store/lazy-store.ts";

/** Notes over the workspace and the stored assets. */
export interface Notes {
  readonly index: NoteIndex;
  readonly repository: KnowledgeRepository;
  readonly tools: readonly AnyTool[];
}

const INTENTS = "system/renames/";

/**
 * Contract: costs nothing until a note is asked for; then what a crash interrupted is finished first. Without a store the
 * workspace's notes are read anew by each process, and a rename that a crash interrupts is not finished by the next.
 */
export function openNotes(sources: SourceManager, store: LazyStore, agent: string): Notes {
  const actor = { agent, conversation: "notes", callId: "index", tool: "notes" };
  const { noteRows } = store;
  const index = createNoteIndex({
    sources,
    actor,
    mounts: noteRows === undefined ? [WORKSPACE] : [WORKSPACE, ASSETS],
    ...(noteRows !== undefined && { store: noteRows }),
  });
  const intents = noteRows === undefined ? createMemoryIntentStore() : lazyIntents(sources);
  const repository = createKnowledgeRepository({
    sources,
    index: recovering(index, sources, intents),
    intents,
    home: `${WORKSPACE}:///`,
  });
  return { index, repository, tools: createNoteTools({ repository }) };
}

/** Intents are text in the store, so that they outlive the process. */
function lazyIntents(sources: SourceManager): IntentStore {
  const open = (): IntentStore => {
    const route = sources.routePrefix(`${ASSETS}:///`);
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

function recovering(index: NoteIndex, sources: SourceManager, intents: IntentStore): NoteIndex {
  let recovered: Promise<unknown> | undefined;
  return {
    ...index,
    async ready(options) {
      await (recovered ??= recoverRenames({ sources, intents }));
      await index.ready(options);
    },
  };
}
