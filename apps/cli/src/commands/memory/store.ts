import { join, resolve } from "node:path";
import type { TransferTable } from "@ikigai/store-postgres";
import { actOfAPerson } from "@ikigai/host/policy";
import { type AddCommand, examples, type Session } from "../../command-line.ts";
import { CONFIG_FILE } from "@ikigai/host/configuration";
import { assertReadable, linesOf } from "../../lines-of.ts";
import { writeNewFile } from "../../new-file.ts";
import { hasFeature, loadPart, requireFeature } from "@ikigai/host/parts";
import { assertStore, describePruned, noStore, storeFolder } from "@ikigai/host/store";

export const addStore: AddCommand = (program, withSession) => {
  const store = program
    .command("store")
    .description("look at the store, move it and shorten its history")
    .addHelpText("after", examples("ikigai store status"));
  store
    .command("status")
    .description("say where the store is, its version, size and durability, and who holds it")
    .action(withSession(status))
    .addHelpText("after", examples("ikigai store status", "ikigai store status --json"));
  store
    .command("export")
    .description("write everything as JSON lines to a file, or to standard output")
    .argument("[file]")
    .action(withSession((session, file?: string) => exportAll(session, file)))
    .addHelpText("after", examples("ikigai store export backup.jsonl"));
  store
    .command("import")
    .description("take in what was exported, all or nothing")
    .argument("<file>")
    .action(withSession((session, file: string) => importAll(session, file)))
    .addHelpText("after", examples("ikigai store import backup.jsonl --store postgres://localhost/ikigai"));
  store
    .command("prune")
    .description("let go of history beyond what `retention` in the configuration keeps")
    .option("--dry-run", "only count what would go")
    .action(withSession((session, { dryRun = false }: { dryRun?: boolean }) => prune(session, dryRun)))
    .addHelpText("after", examples("ikigai store prune --dry-run", "ikigai store prune"));
};

async function status({ host, settings, terminal }: Session): Promise<void> {
  requireFeature("store");
  if (!(await host.store.exists())) {
    const nothing = { engine: "embedded", location: storeFolder(settings.stateDirectory), exists: false };
    return terminal.print(settings.json ? JSON.stringify(nothing) : noStore(settings));
  }
  const { database, refused } = await host.store.open();
  const setAside = await refused();
  const found = { ...(await database.status()), ...(setAside.length > 0 && { refused: setAside }) };
  if (settings.json) return terminal.print(JSON.stringify(found));
  for (const [name, value] of Object.entries(found)) {
    terminal.print(`${name.padEnd(12)} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`);
  }
}

async function exportAll({ host, settings, terminal }: Session, file: string | undefined): Promise<void> {
  const { exportStore } = await loadPart("@ikigai/store-postgres", "store");
  await assertStore(host.store, settings);
  const tables = await allTables();
  const { database } = await host.store.open();
  if (file === undefined) return void (await exportStore(database, tables, (line) => terminal.printRaw(line)));
  let rows = 0;
  const act = { command: "store export", effect: { action: "create", target: resolve(file) } } as const;
  await actOfAPerson(settings, act, () =>
    writeNewFile(file, async (handle) => {
      rows = await exportStore(database, tables, async (line) => void (await handle.write(`${line}\n`)));
    }),
  );
  terminal.print(`${rows} rows were written to ${file}`);
}

async function importAll({ host, settings, terminal }: Session, file: string): Promise<void> {
  const { importStore } = await loadPart("@ikigai/store-postgres", "store");
  await assertReadable(file);
  const tables = await allTables();
  const { database } = await host.store.open();
  const act = { command: "store import", effect: { action: "create", target: "store:///" }, input: { file } } as const;
  const rows = await actOfAPerson(settings, act, () => importStore(database, tables, linesOf(file)));
  terminal.print(`${rows} rows were taken in from ${file}`);
}

async function prune({ host, settings, terminal }: Session, dryRun: boolean): Promise<void> {
  requireFeature("store");
  const { retention = {} } = host.config;
  await assertStore(host.store, settings);
  if (Object.keys(retention).length === 0) {
    terminal.note(
      `Everything is kept. Set "retention" in ${join(settings.configDirectory, CONFIG_FILE)} to change that.`,
    );
  }
  const store = await host.store.open();
  const act = {
    command: "store prune",
    effect: { action: "delete", target: "store:///" },
    input: { retention },
  } as const;
  const pruned = dryRun
    ? await store.prune(retention, { dryRun })
    : await actOfAPerson(settings, act, () => store.prune(retention, { dryRun }));
  if (settings.json) return terminal.print(JSON.stringify({ dry_run: dryRun, ...pruned }));
  terminal.print(`${dryRun ? "would go" : "gone"}: ${describePruned(pruned)}`);
}

/** Every table, parents before children. */
async function allTables(): Promise<readonly TransferTable[]> {
  const [{ assetTables }, { storeTables }, recall] = await Promise.all([
    loadPart("@ikigai/source-postgres", "store"),
    loadPart("@ikigai/store-postgres", "store"),
    hasFeature("recall") ? loadPart("@ikigai/recall", "recall") : undefined,
  ]);
  return [...assetTables, ...storeTables, ...(recall?.recallTables ?? [])];
}
