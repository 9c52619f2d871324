import { IkigaiError, type PlanContext } from "@ikigai/core";
import { actorOf, type Command, type CommandPlan, requireCapability } from "@ikigai/core/host";
import type { AssetEntry } from "../pins/pins.ts";
import { changesOf, readAssetOptions } from "./asset-options.ts";
import {
  assetReads,
  type CommandCall,
  type CommandContext,
  type CommandResult,
  expectArguments,
  findAsset,
  type FoundText,
  orChangedMeanwhile,
} from "./command-context.ts";

const REMEMBERED = "blocks/remembered.md";
const MAX_TRIES = 20;
const EDIT_USAGE = "--text TEXT] [--description TEXT] [--category CATEGORY] [--read-only yes|no";
const EDIT_OPTIONS = "--text, --description, --category or --read-only";

/** `/assets`, `/blocks`, `/remember` and `/forget`. */
export function assetCommands(context: CommandContext): Command[] {
  const { assets, assetMount, blocks, sources } = context;

  async function list(agent: string, prefix: string, archived = false): Promise<CommandResult> {
    const entries: AssetEntry[] = [];
    for await (const entry of assets.list(agent, prefix, { archived })) entries.push(entry);
    const lines = entries.map((entry) => {
      const marks = [entry.category, ...(entry.readOnly ? ["read-only"] : []), ...(entry.archived ? ["archived"] : [])];
      const description = entry.description === "" ? "" : `  ${oneLine(entry.description)}`;
      return `${String(entry.tokens).padStart(8)}  ${assetMount}:///${oneLine(entry.path)}  ${marks.join(", ")}${description}`;
    });
    return { text: lines.length === 0 ? "There are no assets." : lines.join("\n"), data: entries };
  }

  /** Plans `/assets edit`. Without anything to change it shows the fields that can be edited. */
  async function planEdit(words: readonly string[], planned: PlanContext): Promise<CommandPlan> {
    const { place, changes } = readAssetOptions(words);
    const { route, content } = assertStored(await findAsset(context, place, actorOf(planned)));
    const { uri, address } = route;
    const { text, fields, expected } = changes;
    const effects = [...assetReads(context, place), ...changesOf(changes, uri)];
    if (text === undefined && fields === undefined) {
      const run = async ({ agent }: CommandCall): Promise<CommandResult> => {
        const found = await assets.find(agent, address.path);
        const { description = "", category = "", readOnly = false } = found ?? {};
        return {
          text: `${uri} (version ${content.version}) can be edited: give ${EDIT_OPTIONS}.`,
          data: { uri, text: content.text, version: content.version, description, category, readOnly },
        };
      };
      return { effects, run };
    }
    const edit = {
      expected: expected ?? content.version,
      reason: "edit",
      ...(text !== undefined && { text }),
      ...(fields !== undefined && { fields }),
    };
    return {
      effects,
      preview: {
        description: `Edit ${uri}`,
        ...(text !== undefined && { before: content.text, after: text }),
      },
      async run(call) {
        await assets.change(address.path, edit, actorOf(call)).catch(orChangedMeanwhile(uri, "edited"));
        const names = Object.keys(fields ?? {}).map((name) => (name === "readOnly" ? "read-only" : name));
        const changed = [...(text === undefined ? [] : ["text"]), ...names].join(", ");
        return { text: `Edited ${uri} (${changed}). Take it back with /undo ${uri}` };
      },
    };
  }

  async function planDelete(args: readonly string[], planned: PlanContext): Promise<CommandPlan> {
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

  /** Contract: a sentence that another remembered meanwhile stays; what that makes of the effect is judged again. */
  async function remember(sentence: string, planned: "create" | "append", call: CommandCall): Promise<CommandResult> {
    const route = sources.route(`${assetMount}:///${REMEMBERED}`);
    const { uri, address } = route;
    const target = requireCapability(route, "write");
    const actor = actorOf(call);
    for (let tries = 1; ; tries += 1) {
      const present = await target.read(address.path, { actor });
      const action = present === undefined ? "create" : "append";
      if (action !== planned) await call.permit([{ action, target: uri }]);
      const before = present === undefined ? "# Remembered\n" : present.text;
      const after = `${before.endsWith("\n") ? before : `${before}\n`}- ${sentence}\n`;
      try {
        await target.write(address.path, after, { expected: present?.version ?? null, actor });
        break;
      } catch (error) {
        if (!IkigaiError.is(error, "conflict") || tries === MAX_TRIES) throw error;
      }
    }
    const pinned = (await assets.find(actor.agent, address.path))?.pinned === true;
    const effect = pinned
      ? "It is pinned, so it is in effect from the next request on."
      : `Searches find it; to have it in every conversation too: /pin ${REMEMBERED}`;
    return { text: `Remembered in ${uri}. ${effect}` };
  }

  function assertStored(found: FoundText): FoundText {
    if (found.route.address.mount === assetMount) return found;
    throw new IkigaiError("invalid_input", `${found.route.uri} is no stored asset`, {
      hint: `Stored assets are at ${assetMount}:///; list them with /assets list.`,
    });
  }

  return [
    {
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
        if (operation === "edit") return planEdit(args.slice(1), planned);
        if (operation === "delete") return planDelete(args, planned);
        if (operation !== "list") throw unknownOperation(operation);
        const words = args.slice(1).filter((word) => word !== "--archived");
        expectArguments("assets", "list [PREFIX] [--archived]", words, 0, 1);
        return {
          effects: [],
          run: ({ agent }) => list(agent, words[0] ?? "", args.includes("--archived")),
        };
      },
    },
    {
      name: "blocks",
      usage: "",
      description: "Lists the stored blocks and the blocks that are loaded.",
      examples: ["/blocks"],
      async plan(args) {
        expectArguments("blocks", "", args, 0, 0);
        return {
          effects: [],
          async run(call) {
            const stored = await list(call.agent, "blocks/");
            const loaded = await blocks.list(actorOf(call));
            const lines = loaded.map(
              ({ label, type, chars, pinned }) =>
                `${String(chars).padStart(8)}  ${label}  ${type}${pinned ? ", pinned" : ""}`,
            );
            return { text: [stored.text, ...lines].join("\n"), data: { stored: stored.data, loaded } };
          },
        };
      },
    },
    {
      name: "remember",
      usage: "TEXT",
      takesSentence: true,
      description: "Adds a sentence to what is remembered across projects, as it stands; quotes are not needed.",
      examples: ['/remember "Tests run with npm test"'],
      async plan(args, planned) {
        const text = args.join(" ").trim();
        if (text === "") expectArguments("remember", "TEXT", [], 1, 1);
        const { uri, source, address } = sources.route(`${assetMount}:///${REMEMBERED}`);
        const present = await source.read(address.path, { actor: actorOf(planned) });
        const action = present === undefined ? "create" : "append";
        const sentence = text.replaceAll(/\s*[\r\n]\s*/g, " ");
        return {
          effects: [
            { action: "read", target: uri },
            { action, target: uri },
          ],
          run: (call) => remember(sentence, action, call),
        };
      },
    },
    {
      name: "forget",
      usage: "ADDRESS",
      description: "Unpins an asset and archives it. Nothing is erased.",
      examples: ["/forget blocks/old"],
      async plan(args, planned) {
        const [place = ""] = args;
        expectArguments("forget", "ADDRESS", args, 1, 1);
        const { route, content } = assertStored(await findAsset(context, place, actorOf(planned)));
        const { uri, address } = route;
        const edit = { expected: content.version, fields: { archived: true, pinned: false }, reason: "forget" };
        return {
          effects: [...assetReads(context, place), { action: "update", target: uri }],
          preview: { description: `Unpin and archive ${uri}` },
          async run(call) {
            await assets.change(address.path, edit, actorOf(call)).catch(orChangedMeanwhile(uri, "forgotten"));
            return {
              text: `Forgot ${uri}: it is unpinned and archived, and can still be read. Take it back with /undo ${uri}`,
            };
          },
        };
      },
    },
  ];
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
