import { type Actor, type Command, type CommandResult, IkigaiError, requireCapability } from "@ikigai/core";
import type { AssetEntry } from "../pins.ts";
import { type AssetChanges, changesOf, readAssetOptions } from "./asset-options.ts";
import { assetReads, type CommandContext, expectArguments, findAsset } from "./command-context.ts";

const REMEMBERED = "blocks/remembered.md";
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

  /** Without anything to change it shows what there is to edit. */
  async function edit(place: string, changes: AssetChanges, actor: Actor): Promise<CommandResult> {
    const { route, content } = await findAsset(context, place, actor);
    const { uri, address } = route;
    const { text, fields, expected } = changes;
    if (text === undefined && fields === undefined) {
      const found = await assets.find(actor.agent, address.path);
      const { description = "", category = "", readOnly = false } = found ?? {};
      return {
        text: `${uri} (version ${content.version}) can be edited: give ${EDIT_OPTIONS}.`,
        data: { uri, text: content.text, version: content.version, description, category, readOnly },
      };
    }
    await assets.change(
      address.path,
      {
        expected: expected ?? content.version,
        reason: "edit",
        ...(text !== undefined && { text }),
        ...(fields !== undefined && { fields }),
      },
      actor,
    );
    const names = Object.keys(fields ?? {}).map((name) => (name === "readOnly" ? "read-only" : name));
    const changed = [...(text === undefined ? [] : ["text"]), ...names].join(", ");
    return { text: `Edited ${uri} (${changed}). Take it back with /undo ${uri}` };
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
      async effects([operation, ...rest], actor) {
        if (operation !== "delete" && operation !== "edit") return [];
        const { place, changes } =
          operation === "edit" ? readAssetOptions(rest) : { place: rest[0], changes: undefined };
        if (place === undefined) return [];
        const { uri } = (await findAsset(context, place, actor)).route;
        const reads = assetReads(context, place);
        if (changes === undefined) return [...reads, { action: "delete", target: uri }];
        return [...reads, ...changesOf(changes, uri)];
      },
      async run(args, actor) {
        const [operation = "list", place = ""] = args;
        if (operation === "list") {
          const words = args.slice(1).filter((word) => word !== "--archived");
          expectArguments("assets", "list [PREFIX] [--archived]", words, 0, 1);
          return list(actor.agent, words[0] ?? "", args.includes("--archived"));
        }
        if (operation === "edit") {
          const { place: edited, changes } = readAssetOptions(args.slice(1));
          return edit(edited, changes, actor);
        }
        if (operation !== "delete") throw unknownOperation(operation);
        expectArguments("assets", "delete ADDRESS", args, 2, 2);
        const { route, content } = await findAsset(context, place, actor);
        await requireCapability(route, "remove").remove(route.address.path, { expected: content.version, actor });
        return { text: `Deleted ${route.uri}. Bring it back with /undo ${route.uri}` };
      },
    },
    {
      name: "blocks",
      usage: "",
      description: "Lists the stored blocks and the blocks that are loaded.",
      examples: ["/blocks"],
      effects: async () => [],
      async run(args, actor) {
        expectArguments("blocks", "", args, 0, 0);
        const stored = await list(actor.agent, "blocks/");
        const loaded = await blocks.list(actor);
        const lines = loaded.map(
          ({ label, type, chars, pinned }) =>
            `${String(chars).padStart(8)}  ${label}  ${type}${pinned ? ", pinned" : ""}`,
        );
        return { text: [stored.text, ...lines].join("\n"), data: { stored: stored.data, loaded } };
      },
    },
    {
      name: "remember",
      usage: "TEXT",
      takesSentence: true,
      description: "Adds a sentence to what is remembered across projects, as it stands; quotes are not needed.",
      examples: ['/remember "Tests run with npm test"'],
      async effects(_, actor) {
        const { uri, source, address } = sources.route(`${assetMount}:///${REMEMBERED}`);
        const present = await source.read(address.path, { actor });
        return [
          { action: "read", target: uri },
          { action: present === undefined ? "create" : "append", target: uri },
        ];
      },
      async run(args, actor) {
        const text = args.join(" ").trim();
        if (text === "") expectArguments("remember", "TEXT", [], 1, 1);
        const route = sources.route(`${assetMount}:///${REMEMBERED}`);
        const target = requireCapability(route, "write");
        const present = await target.read(route.address.path, { actor });
        const before = present === undefined ? "# Remembered\n" : present.text;
        const after = `${before.endsWith("\n") ? before : `${before}\n`}- ${text.replaceAll(/\s*[\r\n]\s*/g, " ")}\n`;
        await target.write(route.address.path, after, { expected: present?.version ?? null, actor });
        const pinned = (await assets.find(actor.agent, route.address.path))?.pinned === true;
        const effect = pinned
          ? "It is pinned, so it is in effect from the next request on."
          : `Searches find it; to have it in every conversation too: /pin ${REMEMBERED}`;
        return { text: `Remembered in ${route.uri}. ${effect}` };
      },
    },
    {
      name: "forget",
      usage: "ADDRESS",
      description: "Unpins an asset and archives it. Nothing is erased.",
      examples: ["/forget blocks/old"],
      effects: async ([place = ""], actor) => [
        ...assetReads(context, place),
        { action: "update", target: (await findAsset(context, place, actor)).route.uri },
      ],
      async run(args, actor) {
        const [place = ""] = args;
        expectArguments("forget", "ADDRESS", args, 1, 1);
        const { uri, address } = (await findAsset(context, place, actor)).route;
        await assets.change(address.path, { fields: { archived: true, pinned: false }, reason: "forget" }, actor);
        return {
          text: `Forgot ${uri}: it is unpinned and archived, and can still be read. Take it back with /undo ${uri}`,
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
