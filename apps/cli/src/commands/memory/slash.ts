import type { Envelope } from "@ikigai/core";
import { undoableChanges } from "@ikigai/host/history";
import { commandLine, describeRecord, describeStoreCommands, type JournalRecord } from "@ikigai/memory";
import { type AddCommand, examples, type Session } from "../../command-line.ts";
import { editAsset } from "../../terminal/edit-asset.ts";

/** The commands on what is stored, each as `ikigai NAME …`: the same definitions as `/name` in a conversation. */
export const addSlashCommands: AddCommand = (program, withSession) => {
  for (const { name, usage, description, examples: shown, takesSentence = false } of describeStoreCommands()) {
    program
      .command(name)
      // What is an option of the command itself is read by its definition.
      .allowUnknownOption(usage.includes("--"))
      .usage(`[options] ${usage}`)
      .description(description)
      .argument("[arguments...]", usage)
      .action(
        withSession((session, args: string[]) =>
          name === "undo" && args.length === 0
            ? showUndoable(session)
            : runSlashCommand(session, name, takesSentence ? [args.join(" ")] : args),
        ),
      )
      .addHelpText("after", examples(...shown.map((one) => `ikigai ${one.slice(1)}`)));
  }
};

/** The shell has no conversation whose last change could be meant, so it says what there is to choose from. */
async function showUndoable({ host, settings, terminal }: Session): Promise<number> {
  const changes = (await undoableChanges(host, settings)).map(undoLine);
  if (settings.json) terminal.print(JSON.stringify({ success: true, data: { changes } }));
  else if (changes.length === 0) terminal.print("Nothing was changed here that can be taken back.");
  else
    for (const line of ["Nothing was taken back. Each of these can be, newest first:", ...changes])
      terminal.print(line);
  return 0;
}

/** The command that takes a change back, and what the change was. */
function undoLine(record: JournalRecord): string {
  const { uri, at, agent, tool } = record;
  return `ikigai undo ${uri}   ${describeRecord(record)} ${at.toISOString()} by ${agent}${tool === undefined ? "" : ` with ${tool}`}`;
}

/** Runs a command of the host as a person typed it in the shell. Contract: gives the exit code. */
export async function runSlashCommand(
  { host, settings, terminal }: Session,
  name: string,
  args: readonly string[],
): Promise<number> {
  const call = (words: readonly string[]): Promise<Envelope> =>
    host.typed.call(
      { name: "slash_command", arguments: { command: commandLine(name, words) } },
      { agent: settings.agent, conversation: `shell-${process.pid}` },
    );
  const { interactive, readInput } = terminal;
  const envelope = await (name === "assets" ? editAsset(args, { call, interactive, readInput }) : call(args));
  if (settings.json) terminal.print(JSON.stringify(envelope));
  else if (envelope.success) terminal.print((envelope.data as { output: string }).output);
  else terminal.complain(envelope.error);
  return envelope.success ? 0 : envelope.code === "invalid_input" ? 2 : 1;
}
