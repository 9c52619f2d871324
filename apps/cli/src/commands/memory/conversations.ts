import { realpathSync } from "node:fs";
import { type AddCommand, examples, type Session } from "../../command-line.ts";

export const addConversations: AddCommand = (program, withSession) => {
  program
    .command("conversations")
    .description("list the conversations of this folder, to go on with by --resume")
    .option("--all", "also those of other folders")
    .action(withSession((session, { all = false }: { all?: boolean }) => list(session, all)))
    .addHelpText("after", examples("ikigai conversations", "ikigai conversations --all --json"));
};

async function list({ host, settings, terminal }: Session, all: boolean): Promise<void> {
  const { conversationLine, listConversations } = await import("@ikigai/host/agent");
  const workspace = realpathSync(settings.root);
  const every = await listConversations(host.store.conversations, settings.agent);
  const here = every.filter((one) => (one.workspace ?? workspace) === workspace);
  const shown = all ? every : here;
  if (settings.json) return terminal.print(JSON.stringify(shown));
  for (const one of shown) terminal.print(conversationLine(one));
  if (shown.length === 0) terminal.note(`Nothing was said in ${workspace} yet.`);
  else terminal.note("Go on with one: ikigai --resume ID");
  const others = every.length - here.length;
  if (!all && others > 0) terminal.note(`${others} more in other folders: ikigai conversations --all`);
}
