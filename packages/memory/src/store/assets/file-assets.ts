import { randomUUID } from "node:crypto";
import {
  type Actor,
  compareCodePoints,
  formatAddress,
  IkigaiError,
  type TextFeatures,
  type TextReader,
} from "@ikigai/core";
import {
  type AssetDetails,
  checkedAssetOwner,
  checkedAssetPath,
  readAssetPosition,
  toAssetEvent,
  writeAssetPosition,
} from "@ikigai/core/assets";
import type { Assets } from "../../pins/pins.ts";
import type { DocumentView } from "../documents.ts";
import { ASSETS, type AssetDocument, type PresentAsset, readStoredAsset, toAssetState } from "./asset-documents.ts";
import { type ChangeHints, createChangeHints, followFileChanges, positionNow } from "./asset-feed.ts";
import { readRevisions } from "./asset-history.ts";
import { removeFileAsset, updateFileAsset } from "./change-file-asset.ts";
import type { AssetChangeContext, AssetChangeOptions } from "./store-asset-change.ts";

export type FileAssetsOptions = Omit<AssetChangeContext, "program" | "changed">;

/** Assets in plain files. Contract: that of `Assets`; each agent sees its own. */
export function createFileAssets(options: FileAssetsOptions): Assets {
  const { documents, budget, mount } = options;
  const hints = createChangeHints();
  const program = randomUUID();
  const context: AssetChangeContext = { ...options, program, changed: hints.changed };
  const read: Assets["read"] = async (agent, path) => {
    const [owner, name] = [checkedAssetOwner(agent), checkedAssetPath(path)];
    return documents.look((view) => readStoredAsset(view, owner, name));
  };
  return {
    open: (owner) => openTexts(context, hints, owner),
    read,
    async *list(agent, prefix, { archived = false } = {}) {
      const owner = checkedAssetOwner(agent);
      const found = await documents.look((view) => listPresent(view, owner, prefix));
      for (const { path, present } of found)
        if (archived || !present.archived) yield toAssetState({ owner, path }, present);
    },
    async find(agent, path) {
      const found = await read(agent, path);
      if (found === undefined) return undefined;
      const { text: _, ...state } = found;
      const { pins } = await budget.pins.status(found.owner);
      const uri = formatAddress({ mount, path: found.path });
      return { ...state, pinned: pins.some((pin) => pin.uri === uri && pin.owner === found.owner) };
    },
    async change(path, { text, fields: { pinned, ...details } = {}, ...edit }, actor) {
      const who = { agent: checkedAssetOwner(actor.agent), actor };
      const update = { text, details: details as AssetDetails, pinned };
      await updateFileAsset(context, checkedAssetPath(path), update, { ...edit, ...who });
    },
    async *changes(agent, { signal, after }) {
      const owner = checkedAssetOwner(agent);
      const from = after === undefined ? positionNow(documents, owner) : readAssetPosition(after);
      for await (const change of followFileChanges(documents, hints, owner, { from, signal }))
        yield toAssetEvent(change, owner, program);
    },
    position: async (agent) => writeAssetPosition(positionNow(documents, checkedAssetOwner(agent))),
  };
}

/** Those that are there, in code-point order. Contract: the prefix is literal. */
async function listPresent(
  view: DocumentView,
  owner: string,
  prefix: string,
): Promise<readonly { readonly path: string; readonly present: PresentAsset }[]> {
  const all = await view.list<AssetDocument>(ASSETS);
  return all
    .flatMap(({ owner: whose, path, present }) =>
      whose === owner && path.startsWith(prefix) && present !== undefined ? [{ path, present }] : [],
    )
    .toSorted((a, b) => compareCodePoints(a.path, b.path));
}

/** What a call of a source says of itself. */
interface TextCall {
  readonly actor?: Actor;
  readonly signal?: AbortSignal;
}

/** The assets as a source of texts. Contract: a call without an actor means those of `owner`. */
function openTexts(context: AssetChangeContext, hints: ChangeHints, owner: string): TextReader & TextFeatures {
  const { documents } = context;
  const begin = ({ actor, signal }: TextCall): string => {
    if (signal?.aborted) throw new IkigaiError("aborted", "The call was aborted", { cause: signal.reason });
    return checkedAssetOwner(actor?.agent ?? owner);
  };
  const optionsOf = ({ signal: _, ...call }: TextCall, agent: string): AssetChangeOptions => ({ ...call, agent });
  return {
    async read(path, call = {}) {
      const agent = begin(call);
      const found = await documents.look((view) => readStoredAsset(view, agent, checkedAssetPath(path)));
      return found && { text: found.text, version: found.version };
    },
    async *list(prefix, call = {}) {
      const agent = begin(call);
      for (const { path, present } of await documents.look((view) => listPresent(view, agent, prefix))) {
        if (call.signal?.aborted) return;
        if (!present.archived) yield { path, bytes: present.bytes, modifiedAt: new Date(present.updatedAt) };
      }
    },
    async write(path, text, call = {}) {
      const agent = begin(call);
      const version = await updateFileAsset(context, checkedAssetPath(path), { text }, optionsOf(call, agent));
      return { text, version };
    },
    async remove(path, call = {}) {
      const agent = begin(call);
      await removeFileAsset(context, checkedAssetPath(path), optionsOf(call, agent));
    },
    async *watch({ signal }) {
      const agent = checkedAssetOwner(owner);
      const from = positionNow(documents, agent);
      for await (const { path, change } of followFileChanges(documents, hints, agent, { from, signal }))
        yield { path, change };
    },
    async *history(path, call = {}) {
      yield* readRevisions(documents, begin(call), checkedAssetPath(path));
    },
  };
}
