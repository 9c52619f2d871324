import { type Command, type CommandResult, IkigaiError, requireCapability } from "@ikigai/core";
import type { AssetEntry } from "../pins.ts";
import { assetReads, type CommandContext, expectArguments, findAsset } from "./command-context.ts";

const REMEMBERED = "blocks/remembered.md";

/** `/assets`, `/blocks`, `/remember` and `/forget`. */
export function assetCommands(context: CommandContext): Command[] {
  const { assets, assetMount, blocks, pins, sources } = context;

  async function list(agent: string, prefix: string): Promise<CommandResult> {
    const entries: AssetEntry[] = [];
    for await (const entry of assets.list(agent, prefix)) entries.push(entry);
    const lines = entries.map(
      ({ path, tokens, category, description }) =>
        `${String(tokens).padStart(8)}  ${assetMount}:///${oneLine(path)}  ${category}${description === "" ? "" : `  ${description}`}`,
    );
    return { text: lines.length === 0 ? "There are no assets." : lines.join("\n"), data: entries };
  }

  return [
    {
      name: "assets",
      usage: "list [PREFIX] | delete ADDRESS | restore ADDRESS",
      description:
        "Lists the stored assets, deletes one, or brings one back that was forgotten. The journal keeps what was deleted.",
      examples: ["/assets list", "/assets list skills/", "/assets delete blocks/old", "/assets restore blocks/old"],
      async effects([operation, place], actor) {
        if ((operation !== "delete" && operation !== "restore") || place === undefined) return [];
        const { uri } = (await findAsset(context, place, actor)).route;
        return [...assetReads(context, place), { action: operation === "delete" ? "delete" : "update", target: uri }];
      },
      async run(args, actor) {
        const [operation = "list", place = ""] = args;
        if (operation === "list") return list(actor.agent, place);
        if (operation !== "delete" && operation !== "restore") throw unknownOperation(operation);
        expectArguments("assets", `${operation} ADDRESS`, args, 2, 2);
        const { route, content } = await findAsset(context, place, actor);
        if (operation === "restore") {
          await assets.setArchived(actor.agent, route.address.path, false);
          return { text: `${route.uri} is listed again.` };
        }
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
      description: "Adds a sentence to what is remembered across projects.",
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
        const after = `${before.endsWith("\n") ? before : `${before}\n`}- ${text.replaceAll(/\s+/g, " ")}\n`;
        await target.write(route.address.path, after, { expected: present?.version ?? null, actor });
        return { text: `Remembered in ${route.uri}. Keep it in context with /pin ${REMEMBERED}` };
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
        const { route } = await findAsset(context, place, actor);
        await pins.unpin(actor.agent, route.uri);
        await assets.setArchived(actor.agent, route.address.path, true);
        return {
          text: `Forgot ${route.uri}: it is unpinned and archived, and can still be read. Bring it back with /assets restore ${route.uri}`,
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
    hint: "Write /assets list, /assets delete ADDRESS or /assets restore ADDRESS.",
  });
}
