import { describeStoreCommands } from "@ikigai/memory";
import { type AddCommand, examples, type Session } from "../command-line.ts";

/** The commands on what is stored, each as `ikigai NAME …`: the same definitions as `/name` in a conversation. */
export const addSlashCommands: AddCommand = (program, withSession) => {
  for (const { name, usage, description, examples: shown } of describeStoreCommands()) {
    program
      .command(name)
      .usage(`[options] ${usage}`)
      .description(description)
      .argument("[arguments...]", usage)
      .action((args: string[]) => withSession((session) => run(session, name, args)))
      .addHelpText("after", examples(...shown.map((one) => `ikigai ${one.slice(1)}`)));
  }
};

async function run({ host, settings, terminal }: Session, name: string, args: readonly string[]): Promise<number> {
  const command = [`/${name}`, ...args.map((arg) => JSON.stringify(arg))].join(" ");
  const envelope = await host.typed.call(
    { name: "slash_command", arguments: { command } },
    { agent: settings.agent, conversation: `shell-${process.pid}` },
  );
  if (settings.json) terminal.print(JSON.stringify(envelope));
  else if (envelope.success) terminal.print((envelope.data as { output: string }).output);
  else terminal.complain(envelope.error);
  return envelope.success ? 0 : envelope.code === "invalid_input" ? 2 : 1;
}
