import { IkigaiError, type PlanContext } from "@ikigai/core";
import { actorOf, type CommandPlan, requireCapability } from "@ikigai/core/host";
import { type AssetChanges, changesOf, readAssetOptions } from "./asset-options.ts";
import {
  assetReads,
  type CommandContext,
  expectArguments,
  findAsset,
  type FoundText,
  orChangedMeanwhile,
} from "./command-context.ts";

const EDIT_OPTIONS = "--text, --description, --category or --read-only";

/** Plans `/assets edit`. Without anything to change it shows the fields that can be edited. */
export async function planAssetEdit(
  context: CommandContext,
  words: readonly string[],
  planned: PlanContext,
): Promise<CommandPlan> {
  const { place, changes } = readAssetOptions(words);
  const found = assertStored(context, await findAsset(context, place, actorOf(planned)));
  const effects = [...assetReads(context, place), ...changesOf(changes, found.route.uri)];
  const { text, fields } = changes;
  if (text === undefined && fields === undefined) return { effects, run: showFields(context, found) };
  return {
    effects,
    preview: {
      description: `Edit ${found.route.uri}`,
      ...(text !== undefined && { before: found.content.text, after: text }),
    },
    run: makeEdit(context, found, changes),
  };
}

/** Plans `/assets delete`. */
export async function planAssetDelete(
  context: CommandContext,
  args: readonly string[],
  planned: PlanContext,
): Promise<CommandPlan> {
  expectArguments("assets", "delete ADDRESS", args, 2, 2);
  const place = args[1] as string;
  const { route, content } = await findAsset(context, place, actorOf(planned));
  const { uri, address } = route;
  return {
    effects: [...assetReads(context, place), { action: "delete", target: uri }],
    preview: { description: `Delete ${uri}`, before: content.text, after: "" },
    async run(call) {
      await requireCapability(route, "remove")
        .remove(address.path, { expected: content.version, actor: actorOf(call) })
        .catch(orChangedMeanwhile(uri, "deleted"));
      return { text: `Deleted ${uri}. Bring it back with /undo ${uri}` };
    },
  };
}

/** Contract: `invalid_input` for a text that is no stored asset. */
export function assertStored({ assetMount }: CommandContext, found: FoundText): FoundText {
  if (found.route.address.mount === assetMount) return found;
  throw new IkigaiError("invalid_input", `${found.route.uri} is no stored asset`, {
    hint: `Stored assets are at ${assetMount}:///; list them with /assets list.`,
  });
}

function showFields({ assets }: CommandContext, { route, content }: FoundText): CommandPlan["run"] {
  const { uri, address } = route;
  return async ({ agent }) => {
    const found = await assets.find(agent, address.path);
    const { description = "", category = "", readOnly = false } = found ?? {};
    return {
      text: `${uri} (version ${content.version}) can be edited: give ${EDIT_OPTIONS}.`,
      data: { uri, text: content.text, version: content.version, description, category, readOnly },
    };
  };
}

function makeEdit(
  { assets }: CommandContext,
  { route, content }: FoundText,
  { text, fields, expected }: AssetChanges,
): CommandPlan["run"] {
  const { uri, address } = route;
  const edit = {
    expected: expected ?? content.version,
    reason: "edit",
    ...(text !== undefined && { text }),
    ...(fields !== undefined && { fields }),
  };
  return async (call) => {
    await assets.change(address.path, edit, actorOf(call)).catch(orChangedMeanwhile(uri, "edited"));
    const names = Object.keys(fields ?? {}).map((name) => (name === "readOnly" ? "read-only" : name));
    const changed = [...(text === undefined ? [] : ["text"]), ...names].join(", ");
    return { text: `Edited ${uri} (${changed}). Take it back with /undo ${uri}` };
  };
}
