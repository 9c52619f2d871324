import { IkigaiError } from "@ikigai/core";
import { actorOf, type Command, requireCapability } from "@ikigai/core/host";
import { type CommandCall, type CommandContext, type CommandResult, expectArguments } from "./command-context.ts";

const REMEMBERED = "blocks/remembered.md";
const MAX_TRIES = 20;

/** `/remember`. */
export function rememberCommand(context: CommandContext): Command {
  const { assetMount, sources } = context;
  return {
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
        run: (call) => remember(context, sentence, action, call),
      };
    },
  };
}

/** Contract: a sentence that another remembered meanwhile stays; what that makes of the effect is judged again. */
async function remember(
  { assets, assetMount, sources }: CommandContext,
  sentence: string,
  planned: "create" | "append",
  call: CommandCall,
): Promise<CommandResult> {
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
