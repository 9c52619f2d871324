import { type Command, IkigaiError } from "@ikigai/core";
import type { BudgetStatus } from "../pins.ts";
import { assetReads, type CommandContext, expectArguments, findPinnable } from "./command-context.ts";

/** `/pin`, `/unpin`, `/pinned` and `/budget`. */
export function pinCommands(context: CommandContext): Command[] {
  const { assets, pins, blocks, pinsMean } = context;
  const pinTarget = (agent: string): { action: "update"; target: string } => ({
    action: "update",
    target: `pin:///${agent}`,
  });
  return [
    {
      name: "pin",
      usage: "ADDRESS",
      description:
        pinsMean === undefined
          ? "Keeps an asset or a block in your context from now on."
          : `Marks an asset or a block as always needed. ${pinsMean}`,
      examples: ["/pin skills/ddd", "/pin ikigai:///blocks/decisions.md"],
      effects: async ([place = ""], { agent }) => [...assetReads(context, place), pinTarget(agent)],
      async run(args, actor) {
        expectArguments("pin", "ADDRESS", args, 1, 1);
        const [place = ""] = args;
        const found = await findPinnable(context, place, actor);
        if ("block" in found) await blocks.pin(found.block, actor);
        else await assets.change(found.route.address.path, { fields: { pinned: true } }, actor);
        const status = describe(await pins.status(actor.agent), context);
        return { text: `Pinned ${place}. ${status}${pinsMean === undefined ? "" : ` ${pinsMean}`}` };
      },
    },
    {
      name: "unpin",
      usage: "ADDRESS",
      description: "Takes an asset or a block out of your context and frees its tokens. It stays stored.",
      examples: ["/unpin skills/ddd"],
      effects: async ([place = ""], { agent }) => [...assetReads(context, place), pinTarget(agent)],
      async run(args, actor) {
        expectArguments("unpin", "ADDRESS", args, 1, 1);
        const [place = ""] = args;
        const target = await findPinnable(context, place, actor);
        if ("block" in target) await blocks.unpin(target.block, actor);
        else {
          const { uri, address } = target.route;
          const found = await assets.find(actor.agent, address.path);
          if (found?.pinned !== true) throw new IkigaiError("not_found", `${uri} is not pinned`);
          await assets.change(address.path, { fields: { pinned: false } }, actor);
        }
        return { text: `Unpinned ${place}. ${describe(await pins.status(actor.agent), context)}` };
      },
    },
    {
      name: "pinned",
      usage: "",
      description: "Lists what is pinned and what each costs.",
      examples: ["/pinned"],
      effects: async () => [],
      async run(args, { agent }) {
        expectArguments("pinned", "", args, 0, 0);
        const status = await pins.status(agent);
        const lines = status.pins.map(
          ({ uri, tokens, behind }) =>
            `${String(tokens).padStart(8)}  ${uri}${behind ? "  (an older version: the new one does not fit)" : ""}`,
        );
        return { text: [...lines, describe(status, context)].join("\n"), data: status };
      },
    },
    {
      name: "budget",
      usage: "[TOKENS]",
      description: "Shows how much of the budget is used, or sets it.",
      examples: ["/budget", "/budget 120000"],
      effects: async (args, { agent }) =>
        args.length === 0 ? [] : [{ action: "admin", target: `budget:///${agent}` }],
      async run(args, { agent }) {
        expectArguments("budget", "[TOKENS]", args, 0, 1);
        if (args[0] !== undefined) await pins.setLimit(agent, tokensOf(args[0]));
        const status = await pins.status(agent);
        return { text: describe(status, context), data: status };
      },
    },
  ];
}

function tokensOf(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not a number of tokens`, {
    hint: "Write /budget 100000.",
  });
}

function describe({ pinned, limit, level }: BudgetStatus, { compact }: CommandContext): string {
  const said = `${pinned} of ${limit} tokens are pinned`;
  return level === "fine"
    ? `${said}.`
    : `${said} (${level}). Use ${compact === undefined ? "" : "/compact or "}/unpin to free space.`;
}
