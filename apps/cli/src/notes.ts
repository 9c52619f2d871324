import { type AnyTool, requireCapability, type SourceManager } from "@ikigai/core";
import {
  createKnowledgeRepository,
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

/** Contract: costs nothing until a note is asked for; then what a crash interrupted is finished first. */
export function openNotes(sources: SourceManager, store: LazyStore, agent: string): Notes {
  const actor = { agent, conversation: "notes", callId: "index", tool: "notes" };
  const index = createNoteIndex({ sources, mounts: [WORKSPACE, ASSETS], store: store.noteRows, actor });
  const intents = lazyIntents(sources);
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
