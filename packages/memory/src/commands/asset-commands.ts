import { IkigaiError } from "@ikigai/core";
import { actorOf, type Command } from "@ikigai/core/host";
import type { AssetEntry } from "../pins/pins.ts";
import {
  assetReads,
  type CommandContext,
  type CommandResult,
  expectArguments,
  findAsset,
  orChangedMeanwhile,
} from "./command-context.ts";
import { assertStored, planAssetDelete, planAssetEdit } from "./edit-asset.ts";
import { rememberCommand } from "./remember-command.ts";

const EDIT_USAGE = "--text TEXT] [--description TEXT] [--category CATEGORY] [--read-only yes|no";

/** `/assets`, `/blocks`, `/remember` and `/forget`. */
export function assetCommands(context: CommandContext): Command[] {
  return [assetsCommand(context), blocksCommand(context), rememberCommand(context), forgetCommand(context)];
}

function assetsCommand(context: CommandContext): Command {
  return {
    name: "assets",
    usage: `list [PREFIX] [--archived] | edit ADDRESS [${EDIT_USAGE}] | delete ADDRESS`,
    description: "Lists the stored assets, edits one or deletes it. The journal keeps what was there before.",
    examples: [
      "/assets list",
      "/assets list skills/",
      '/assets edit skills/ddd --description "How we model"',
      "/assets delete blocks/old",
    ],
    async plan(args, planned) {
      const [operation = "list"] = args;
      if (operation === "edit") return planAssetEdit(context, args.slice(1), planned);
      if (operation === "delete") return planAssetDelete(context, args, planned);
      if (operation !== "list") throw unknownOperation(operation);
      const words = args.slice(1).filter((word) => word !== "--archived");
      expectArguments("assets", "list [PREFIX] [--archived]", words, 0, 1);
      return {
        effects: [],
        run: ({ agent }) => listAssets(context, agent, words[0] ?? "", args.includes("--archived")),
      };
    },
  };
}

function blocksCommand(context: CommandContext): Command {
  return {
    name: "blocks",
    usage: "",
    description: "Lists the stored blocks and the blocks that are loaded.",
    examples: ["/blocks"],
    async plan(args) {
      expectArguments("blocks", "", args, 0, 0);
      return {
        effects: [],
        async run(call) {
          const stored = await listAssets(context, call.agent, "blocks/");
          const loaded = await context.blocks.list(actorOf(call));
          const lines = loaded.map(
            ({ label, type, chars, pinned }) =>
              `${String(chars).padStart(8)}  ${label}  ${type}${pinned ? ", pinned" : ""}`,
          );
          return { text: [stored.text, ...lines].join("\n"), data: { stored: stored.data, loaded } };
        },
      };
    },
  };
}

function forgetCommand(context: CommandContext): Command {
  return {
    name: "forget",
    usage: "ADDRESS",
    description: "Unpins an asset and archives it. Nothing is erased.",
    examples: ["/forget blocks/old"],
    async plan(args, planned) {
      const [place = ""] = args;
      expectArguments("forget", "ADDRESS", args, 1, 1);
      const { route, content } = assertStored(context, await findAsset(context, place, actorOf(planned)));
      const { uri, address } = route;
      const edit = { expected: content.version, fields: { archived: true, pinned: false }, reason: "forget" };
      return {
        effects: [...assetReads(context, place), { action: "update", target: uri }],
        preview: { description: `Unpin and archive ${uri}` },
        async run(call) {
          await context.assets.change(address.path, edit, actorOf(call)).catch(orChangedMeanwhile(uri, "forgotten"));
          return {
            text: `Forgot ${uri}: it is unpinned and archived, and can still be read. Take it back with /undo ${uri}`,
          };
        },
      };
    },
  };
}

async function listAssets(
  { assets, assetMount }: CommandContext,
  agent: string,
  prefix: string,
  archived = false,
): Promise<CommandResult> {
  const entries: AssetEntry[] = [];
  for await (const entry of assets.list(agent, prefix, { archived })) entries.push(entry);
  const lines = entries.map((entry) => {
    const marks = [entry.category, ...(entry.readOnly ? ["read-only"] : []), ...(entry.archived ? ["archived"] : [])];
    const description = entry.description === "" ? "" : `  ${oneLine(entry.description)}`;
    return `${String(entry.tokens).padStart(8)}  ${assetMount}:///${oneLine(entry.path)}  ${marks.join(", ")}${description}`;
  });
  return { text: lines.length === 0 ? "There are no assets." : lines.join("\n"), data: entries };
}

/** A path may hold a line end, which must not pass for another row. */
function oneLine(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

function unknownOperation(operation: string): IkigaiError {
  return new IkigaiError("invalid_input", `/assets does not know ${JSON.stringify(operation)}`, {
    hint: "Write /assets list, /assets edit ADDRESS or /assets delete ADDRESS.",
  });
}
