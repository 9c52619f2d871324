import { type AnyTool, defineTool, type PlanContext } from "@ikigai/core";
import { type Command, type CommandPlan, createPlanner, type Planner } from "@ikigai/core/host";
import { z } from "zod";
import type { CommandContext } from "../commands/command-context.ts";
import { historyCommands } from "../commands/history-commands.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

const path = z.string().min(1).describe("A path, an address, or a short address such as blocks/decisions");

/** `history` and `undo`: what the commands of those names do, for models. */
export function createHistoryTools(context: CommandContext): readonly AnyTool[] {
  const commands = new Map(historyCommands(context).map((command) => [command.name, command]));
  const plannerOf = (name: string): Planner<{ readonly path: string }, PlanContext, CommandPlan> =>
    createPlanner(async (input, call) => {
      const planned = await (commands.get(name) as Command).plan([input.path], call);
      return { effects: planned.effects, work: () => planned };
    });
  const shown = plannerOf("history");
  const undone = plannerOf("undo");
  return [
    defineTool({
      name: "history",
      title: "Show the history of a text",
      description: "Who changed a file or a memory text, when, with which tool and why, newest first.",
      input: z.strictObject({
        path,
        limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`How many changes. Default ${DEFAULT_LIMIT}`),
      }),
      output: z.strictObject({ changes: z.array(z.string()).describe("Newest first"), left: z.int() }),
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      effects: shown.effects,
      async run(input, call) {
        const { text } = await (await shown.work(input, call)).run(call);
        const lines = text.split("\n");
        const changes = lines.slice(0, input.limit ?? DEFAULT_LIMIT);
        return { changes, left: lines.length - changes.length };
      },
      toText(data) {
        const { changes = [], left = 0 } = data as { readonly changes?: readonly string[]; readonly left?: number };
        return [...changes, ...(left > 0 ? [`[${left} more are not shown: give a larger limit]`] : [])].join("\n");
      },
    }),
    defineTool({
      name: "undo",
      title: "Undo a change",
      description:
        "Takes the latest change of a file or a memory text back, if nothing changed it since. Call it again for the " +
        "change before. A call that changed several texts is taken back as a whole.",
      input: z.strictObject({ path }),
      output: z.strictObject({ message: z.string() }),
      annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
      effects: undone.effects,
      async preview(input, context) {
        const { preview } = await undone.peek(input, context);
        return preview ?? { description: `Take the latest change of ${input.path} back` };
      },
      async run(input, call) {
        return { message: (await (await undone.work(input, call)).run(call)).text };
      },
    }),
  ];
}
