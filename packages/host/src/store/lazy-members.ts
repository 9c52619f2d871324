import type { ConversationStore } from "@ikigai/agent";
import type { TextFeatures, TextReader } from "@ikigai/core";
import type { IndexStore } from "@ikigai/core/host";
import {
  type ApprovalRequests,
  type Assets,
  type BlockStore,
  createFileJournal,
  type Journal,
  type Pins,
  type StreamPositions,
} from "@ikigai/memory";
import type { OpenedStore } from "./host-store.ts";

/** How a member that is not open yet gets at its store. */
export interface StoreAccess {
  open(): Promise<OpenedStore>;
  /** Contract: opens nothing. While there is no store, reads are answered as an empty one would. */
  exists(): Promise<boolean>;
}

/** Tokens that an agent's pins may have in all, where nobody set a limit. */
const BUDGET = 100_000;

export function lazyBlocks({ open, exists }: StoreAccess): BlockStore {
  const blocks = async (): Promise<BlockStore> => (await open()).blocks;
  return {
    create: async (block) => (await blocks()).create(block),
    find: async (agent, label) => ((await exists()) ? (await blocks()).find(agent, label) : []),
    list: async (agent) => ((await exists()) ? (await blocks()).list(agent) : []),
    listByOrigin: async (uri) => ((await exists()) ? (await blocks()).listByOrigin(uri) : []),
    load: async (id) => (await blocks()).load(id),
    updatesAfter: async (id, revision) => (await blocks()).updatesAfter(id, revision),
    commit: async (commit) => (await blocks()).commit(commit),
    compact: async (id, snapshot) => (await blocks()).compact(id, snapshot),
    history: async (id, limit) => (await blocks()).history(id, limit),
    share: async (id, agent, permission) => (await blocks()).share(id, agent, permission),
    view: async (agent, id) => (await blocks()).view(agent, id),
    setView: async (agent, id, view) => (await blocks()).setView(agent, id, view),
  };
}

export function lazyPins({ open, exists }: StoreAccess, limit: number = BUDGET): Pins {
  return {
    status: async (agent) =>
      (await exists()) ? (await open()).pins.status(agent) : { pinned: 0, limit, level: "fine", pins: [] },
    setLimit: async (agent, tokens) => (await open()).pins.setLimit(agent, tokens),
  };
}

/** While there is no store, the journal is what was written in times without one. */
export function lazyJournal({ open, exists }: StoreAccess, file: string): Journal {
  const inFile = createFileJournal(file);
  const journal = async (): Promise<Journal> => (await open()).journal;
  const present = async (): Promise<Journal> => ((await exists()) ? journal() : inFile);
  return {
    intend: async (entry) => (await journal()).intend(entry),
    settle: async (id, end) => (await journal()).settle(id, end),
    history: async (uri, query) => (await present()).history(uri, query),
    ofCall: async (callId) => (await present()).ofCall(callId),
    get: async (id) => (await present()).get(id),
    pruned: async (uri, query) => (await present()).pruned(uri, query),
  };
}

export function lazyApprovals({ open, exists }: StoreAccess): ApprovalRequests {
  const approvals = async (): Promise<ApprovalRequests> => (await open()).approvals;
  return {
    add: async (request) => (await approvals()).add(request),
    pending: async () => ((await exists()) ? (await approvals()).pending() : []),
    answer: async (id, answer) => (await approvals()).answer(id, answer),
    answerTo: async (id) => ((await exists()) ? (await approvals()).answerTo(id) : undefined),
    withdraw: async (id) => (await approvals()).withdraw(id),
  };
}

export function lazyConversations({ open, exists }: StoreAccess): ConversationStore {
  const conversations = async (): Promise<ConversationStore> => (await open()).conversations;
  return {
    create: async (agent, workspace) => (await conversations()).create(agent, workspace),
    list: async (agent) => ((await exists()) ? (await conversations()).list(agent) : []),
    messages: async (id) => (await conversations()).messages(id),
    append: async (id, messages) => (await conversations()).append(id, messages),
    fork: async (id) => (await conversations()).fork(id),
    mark: async (id, name) => (await conversations()).mark(id, name),
    rewind: async (id, mark) => (await conversations()).rewind(id, mark),
    rewindBefore: async (id, message) => (await conversations()).rewindBefore(id, message),
    discardEmpty: async (id) => (await conversations()).discardEmpty(id),
    saveManifest: async (id, manifest) => (await conversations()).saveManifest(id, manifest),
    lastManifest: async (id) => (await conversations()).lastManifest(id),
    recordManifest: async (id, manifest, turn) => (await conversations()).recordManifest(id, manifest, turn),
    findManifest: async (id, which) => (await conversations()).findManifest(id, which),
  };
}

export function lazyPositions({ open, exists }: StoreAccess): StreamPositions {
  return {
    load: async (agent, stream) => ((await exists()) ? (await open()).positions.load(agent, stream) : undefined),
    save: async (agent, stream, position, merge) => (await open()).positions.save(agent, stream, position, merge),
  };
}

export function lazyAssets({ open, exists }: StoreAccess): Assets {
  const assets = async (): Promise<Assets> => (await open()).assets;
  return {
    open: (owner) => lazyAssetTexts({ exists }, async () => (await assets()).open(owner)),
    read: async (agent, path) => ((await exists()) ? (await assets()).read(agent, path) : undefined),
    async *list(agent, prefix, options) {
      if (await exists()) yield* (await assets()).list(agent, prefix, options);
    },
    find: async (agent, path) => ((await exists()) ? (await assets()).find(agent, path) : undefined),
    change: async (path, edit, actor) => (await assets()).change(path, edit, actor),
    async *changes(agent, options) {
      yield* (await assets()).changes(agent, options);
    },
    position: async (agent) => (await assets()).position(agent),
  };
}

/** Assets as a source of texts, opened when something asks for one. */
function lazyAssetTexts(
  { exists }: Pick<StoreAccess, "exists">,
  openTexts: () => Promise<TextReader & TextFeatures>,
): TextReader & TextFeatures {
  let texts: Promise<TextReader & TextFeatures> | undefined;
  const load = (): Promise<TextReader & TextFeatures> => (texts ??= openTexts());
  return {
    read: async (path, call) => ((await exists()) ? (await load()).read(path, call) : undefined),
    async *list(prefix, call) {
      if (await exists()) yield* (await load()).list(prefix, call);
    },
    write: async (path, text, call) => (await load()).write(path, text, call),
    remove: async (path, call) => (await load()).remove(path, call),
    async *watch(call) {
      yield* (await load()).watch(call);
    },
    async *history(path, call) {
      if (await exists()) yield* (await load()).history(path, call);
    },
    async close() {
      await (await texts)?.close?.();
    },
  };
}

export function lazyIndexStore({ open, exists }: StoreAccess): IndexStore {
  return {
    rows: (codec) => ({
      load: async (mount) => ((await exists()) ? (await open()).indexStore.rows(codec).load(mount) : []),
      save: async (rows) => (await open()).indexStore.rows(codec).save(rows),
      remove: async (uris) => (await open()).indexStore.rows(codec).remove(uris),
    }),
    vectors: {
      load: async (model, mount) => ((await exists()) ? (await open()).indexStore.vectors.load(model, mount) : []),
      save: async (model, vectors) => (await open()).indexStore.vectors.save(model, vectors),
      remove: async (uris) => (await open()).indexStore.vectors.remove(uris),
    },
  };
}
