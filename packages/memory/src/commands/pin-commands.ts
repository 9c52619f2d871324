import { type Effect, IkigaiError } from "@ikigai/core";
import { actorOf, type Command } from "@ikigai/core/host";
import type { BudgetStatus } from "../pins/pins.ts";
import { assetReads, type CommandContext, expectArguments, findPinnable } from "./command-context.ts";

/** `/pin`, `/unpin`, `/pinned` and `/budget`. */
export function pinCommands(context: CommandContext): Command[] {
  return [pinCommand(context), unpinCommand(context), pinnedCommand(context), budgetCommand(context)];
}

function pinCommand(context: CommandContext): Command {
  const { assets, pins, blocks, pinsMean } = context;
  return {
    name: "pin",
    usage: "ADDRESS",
    description:
      pinsMean === undefined
        ? "Keeps an asset or a block in your context from now on."
        : `Marks an asset or a block as always needed. ${pinsMean}`,
    examples: ["/pin skills/ddd", "/pin ikigai:///blocks/decisions.md"],
    async plan(args, planned) {
      expectArguments("pin", "ADDRESS", args, 1, 1);
      const [place = ""] = args;
      const found = await findPinnable(context, place, planned);
      return {
        effects: [...assetReads(context, place), pinEffect(planned.agent)],
        async run(call) {
          const actor = actorOf(call);
          if ("block" in found) await blocks.pin(found.block, actor);
          else await assets.change(found.route.address.path, { fields: { pinned: true } }, actor);
          const status = describe(await pins.status(actor.agent), context);
          return { text: `Pinned ${place}. ${status}${pinsMean === undefined ? "" : ` ${pinsMean}`}` };
        },
      };
    },
  };
}

function unpinCommand(context: CommandContext): Command {
  const { assets, pins, blocks } = context;
  return {
    name: "unpin",
    usage: "ADDRESS",
    description: "Takes an asset or a block out of your context and frees its tokens. It stays stored.",
    examples: ["/unpin skills/ddd"],
    async plan(args, planned) {
      expectArguments("unpin", "ADDRESS", args, 1, 1);
      const [place = ""] = args;
      const target = await findPinnable(context, place, planned);
      return {
        effects: [...assetReads(context, place), pinEffect(planned.agent)],
        async run(call) {
          const actor = actorOf(call);
          if ("block" in target) await blocks.unpin(target.block, actor);
          else {
            const { uri, address } = target.route;
            const found = await assets.find(actor.agent, address.path);
            if (found?.pinned !== true)
              throw new IkigaiError("not_found", `${uri} is not pinned`, { hint: "/pinned lists what is." });
            await assets.change(address.path, { fields: { pinned: false } }, actor);
          }
          return { text: `Unpinned ${place}. ${describe(await pins.status(actor.agent), context)}` };
        },
      };
    },
  };
}

function pinnedCommand(context: CommandContext): Command {
  return {
    name: "pinned",
    usage: "",
    description: "Lists what is pinned and what each costs.",
    examples: ["/pinned"],
    async plan(args) {
      expectArguments("pinned", "", args, 0, 0);
      return {
        effects: [],
        async run({ agent }) {
          const status = await context.pins.status(agent);
          const lines = status.pins.map(
            ({ uri, tokens, behind }) =>
              `${String(tokens).padStart(8)}  ${uri}${behind ? "  (an older version: the new one does not fit)" : ""}`,
          );
          return { text: [...lines, describe(status, context)].join("\n"), data: status };
        },
      };
    },
  };
}

function budgetCommand(context: CommandContext): Command {
  const { pins } = context;
  return {
    name: "budget",
    usage: "[TOKENS]",
    description: "Shows how much of the budget is used, or sets it.",
    examples: ["/budget", "/budget 120000"],
    async plan(args, planned) {
      expectArguments("budget", "[TOKENS]", args, 0, 1);
      const tokens = args[0] === undefined ? undefined : tokensOf(args[0]);
      return {
        effects: tokens === undefined ? [] : [{ action: "admin", target: `budget:///${planned.agent}` }],
        async run({ agent }) {
          if (tokens !== undefined) await pins.setLimit(agent, tokens);
          const status = await pins.status(agent);
          return { text: describe(status, context), data: status };
        },
      };
    },
  };
}

function pinEffect(agent: string): Effect {
  return { action: "update", target: `pin:///${agent}` };
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
