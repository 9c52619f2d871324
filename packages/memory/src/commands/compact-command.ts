import { IkigaiError } from "@ikigai/core";
import { actorOf, type Command, requireCapability } from "@ikigai/core/host";
import { assetReads, type CommandContext, expectArguments, findAsset, orChangedMeanwhile } from "./command-context.ts";

const NO_MODEL = "Compacting needs a model, and none is set";

/** `/compact`: a model proposes a shorter text, a person agrees, the journal keeps the longer one. */
export function compactCommand(context: CommandContext): Command {
  return {
    name: "compact",
    usage: "ADDRESS",
    description: "Shortens an asset with the help of the model, after showing before and after. Undo brings it back.",
    examples: ["/compact blocks/decisions"],
    ...(context.confirm !== undefined && { confirmsItself: true }),
    ...(context.compact === undefined && { unavailable: NO_MODEL }),
    async plan(args, planned) {
      const [place = ""] = args;
      expectArguments("compact", "ADDRESS", args, 1, 1);
      const { compact, confirm } = context;
      if (compact === undefined) {
        throw new IkigaiError("unavailable", NO_MODEL, {
          hint: "Set one, or shorten the text with file_edit.",
        });
      }
      const { route, content } = await findAsset(context, place, actorOf(planned));
      return {
        effects: [...assetReads(context, place), { action: "update", target: route.uri }],
        async run(call) {
          const { text, tokensBefore, tokensAfter } = await compact(content.text, call.signal);
          const sizes = `${tokensBefore} → ${tokensAfter} tokens`;
          if ((await confirm?.(`Compact ${route.uri} (${sizes})?`, content.text, text)) === false) {
            throw new IkigaiError("permission_denied", `The user did not agree to compact ${route.uri} (${sizes})`, {
              hint: "Leave the text as it is, or ask the user what to keep.",
            });
          }
          await requireCapability(route, "write")
            .write(route.address.path, text, {
              actor: actorOf(call),
              expected: content.version,
              reason: `compact ${sizes}`,
            })
            .catch(orChangedMeanwhile(route.uri, "compacted"));
          return {
            text: `Compacted ${route.uri}: ${sizes}. Bring it back with /undo ${route.uri}`,
            data: { tokensBefore, tokensAfter },
          };
        },
      };
    },
  };
}
