import { open } from "node:fs/promises";
import { type AddCommand, examples, type Session } from "../command-line.ts";
import { linesOf } from "../lines-of.ts";
import { loadPart, requireFeature } from "../parts.ts";

export const addRecall: AddCommand = (program, withSession) => {
  const recall = program
    .command("recall")
    .description("look after the archive")
    .addHelpText("after", examples("ikigai recall import memories.jsonl"));
  recall
    .command("erase")
    .description("remove an entry's content for good, leaving a tombstone")
    .argument("<id>")
    .option("--reason <text>", "why")
    .action((id: string, { reason }: { reason?: string }) => withSession((session) => erase(session, id, reason)))
    .addHelpText("after", examples("ikigai recall erase 17 --reason 'asked to'"));
  recall
    .command("import")
    .description("take in JSON lines, or the MCP memory server's file")
    .argument("<file>")
    .action((file: string) => withSession((session) => importFile(session, file)))
    .addHelpText("after", examples("ikigai recall import memory.json"));
  recall
    .command("export")
    .description("write all entries as JSON lines to a file, or to standard output")
    .argument("[file]")
    .action((file?: string) => withSession((session) => exportFile(session, file)))
    .addHelpText("after", examples("ikigai recall export entries.jsonl"));
};

async function erase({ host, settings, terminal }: Session, id: string, reason: string | undefined): Promise<void> {
  requireFeature("recall");
  const { recall } = await host.store.open();
  await recall.erase(id, { by: settings.agent, ...(reason !== undefined && { reason }) }, { owner: settings.agent });
  terminal.print(`Entry ${id} is erased.`);
}

async function importFile({ host, settings, terminal }: Session, file: string): Promise<void> {
  const { importEntries } = await loadPart("@ikigai/recall", "recall");
  const { recall } = await host.store.open();
  const { line, stored, recognised } = await importEntries(recall, linesOf(file), {
    owner: settings.agent,
    onProgress: (progress) => terminal.note(`line ${progress.line}: ${progress.stored} stored`),
  });
  terminal.print(`${stored} entries were stored and ${recognised} were there already (${line} lines).`);
}

async function exportFile({ host, settings, terminal }: Session, file: string | undefined): Promise<void> {
  const { exportEntries } = await loadPart("@ikigai/recall", "recall");
  const { recall } = await host.store.open();
  const handle = file === undefined ? undefined : await open(file, "wx", 0o600);
  try {
    for await (const line of exportEntries(recall, { owner: settings.agent })) {
      if (handle === undefined) terminal.printRaw(line);
      else await handle.write(`${line}\n`);
    }
  } finally {
    await handle?.close();
  }
}
