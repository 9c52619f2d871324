import type { Referrer } from "@ikigai/notes";
import type { Notes } from "@ikigai/notes/part";
import { type AddCommand, examples, type Session } from "../../command-line.ts";
import { loadPart, notInstalled } from "@ikigai/host/parts";
import type { GlobalFlags } from "../../settings.ts";

export const addNotes: AddCommand = (program, withSession, { openTerminal }) => {
  const notes = program
    .command("notes")
    .description("look after notes")
    .addHelpText("after", examples("ikigai notes check vault --json"));
  notes
    .command("check")
    .description("list every link of a vault and where Obsidian would go on a click")
    .argument("<dir>")
    .action(async (directory: string) => {
      const { json = false, quiet = false } = program.opts<GlobalFlags>();
      const terminal = openTerminal(quiet);
      const { checkVault } = await loadPart("@ikigai/notes", "notes");
      for await (const link of checkVault(directory, { warn: (message) => terminal.complain(message) })) {
        terminal.print(
          json
            ? JSON.stringify(link)
            : `${link.from}: [[${link.raw}]] → ${link.to ?? "nothing"}${link.reason === undefined ? "" : ` (${link.reason})`}`,
        );
      }
    })
    .addHelpText("after", examples("ikigai notes check vault --json"));
  program
    .command("refs")
    .description("list what a text refers to, and what refers to it")
    .argument("<address>")
    .action(withSession((session, address: string) => showReferences(session, address)))
    .addHelpText("after", examples("ikigai refs README.md", "ikigai refs ikigai:///blocks/decisions.md --json"));
};

async function showReferences({ host, settings, terminal }: Session, address: string): Promise<void> {
  const { findReferences, referencesTo } = await loadPart("@ikigai/notes", "notes");
  const { sources } = host;
  const notes: Notes | undefined = host.services.notes;
  if (notes === undefined) throw notInstalled("notes");
  await notes.index.ready();
  const { graph } = notes.index;
  const route = sources.route(address);
  const content = await route.source.read(route.address.path);
  const forward = content === undefined ? [] : findReferences(content.text, { graph, from: route.uri });
  const backward: Referrer[] = [];
  for await (const referrer of referencesTo(route.uri, { sources, graph })) backward.push(referrer);
  if (settings.json) return terminal.print(JSON.stringify({ forward, backward }));
  for (const { text, to } of forward) terminal.print(`→ ${text}  ${to ?? "(no such note)"}`);
  for (const { from, references } of backward)
    terminal.print(`← ${from}  ${references.map(({ text }) => text).join(", ")}`);
}
