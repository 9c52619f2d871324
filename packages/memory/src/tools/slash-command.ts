import { type AnyTool, defineTool, IkigaiError, type PlanContext } from "@ikigai/core";
import { type Command, type Commands, createPlanner } from "@ikigai/core/host";
import { z } from "zod";
import { commandArguments } from "../commands/command-words.ts";
import { findCommand } from "../commands/create-commands.ts";

const input = z.strictObject({
  // The longest command holds the longest text that an editor can hand over.
  command: z.string().min(2).max(4_000_000).describe("The command with its arguments, such as /pin skills/ddd"),
});

const output = z.looseObject({ output: z.string().describe("What the user would see"), data: z.unknown().optional() });

/** The tool through which a model uses the commands that people type. */
export function createSlashCommandTool(commands: Commands): AnyTool {
  const usable = commands
    .list()
    .filter(({ personOnly, unavailable }) => personOnly !== true && unavailable === undefined);
  const planner = createPlanner(async ({ command }: z.output<typeof input>, context: PlanContext) => {
    const { found, args } = parse(commands, command);
    const planned = await found.plan(args, context);
    return { effects: planned.effects, work: () => ({ planned, found }) };
  });
  return defineTool({
    name: "slash_command",
    title: "Slash command",
    description: [
      "Memory commands, which the user has too: remember, forget, pin. They are:",
      ...usable.map(({ name, usage, description }) => `- /${name}${usage === "" ? "" : ` ${usage}`}: ${description}`),
    ].join("\n"),
    input,
    output,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    effects: planner.effects,
    async preview(call, context) {
      const { planned, found } = await planner.peek(call, context);
      const shown = planned.preview ?? { description: call.command };
      return found.confirmsItself === true ? { ...shown, confirmsItself: true } : shown;
    },
    async run(call, context) {
      const { planned } = await planner.work(call, context);
      const { text, data } = await planned.run(context);
      return { output: text, ...(data !== undefined && { data }) };
    },
    // The data says the same again, for programs.
    toText: (data) => (data as { readonly output?: string }).output,
  });
}

function parse(commands: Commands, line: string): { found: Command; args: string[] } {
  const [, name = "", rest = ""] = /^\s*\/?(\S*)([^]*)$/.exec(line) ?? [];
  const found = findCommand(commands, name);
  if (found.personOnly === true) {
    throw new IkigaiError("permission_denied", `Only a person may use /${found.name}`, {
      hint: "Ask the user to type it.",
    });
  }
  if (found.unavailable !== undefined) {
    throw new IkigaiError("unavailable", found.unavailable, { hint: "Shorten the text with file_edit instead." });
  }
  return { found, args: commandArguments(found, rest) };
}
