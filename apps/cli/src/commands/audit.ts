import { setTimeout as wait } from "node:timers/promises";
import { type AuditRow, readAuditFile } from "@ikigai/memory";
import { type AddCommand, examples, type Session } from "../command-line.ts";
import { hasFeature, loadPart } from "../parts.ts";

interface AuditFlags {
  readonly follow?: boolean;
  readonly tool?: string;
  readonly denied?: boolean;
  readonly limit: string;
}

const LOOK_AGAIN_MS = 500;

export const addAudit: AddCommand = (program, withSession) => {
  program
    .command("audit")
    .description("show which calls were made, what was decided on them and why")
    .option("--follow", "wait for more")
    .option("--tool <name>", "only calls of this tool")
    .option("--denied", "only calls that were refused")
    .option("--limit <n>", "how many rows", "50")
    .action((flags: AuditFlags) => withSession((session) => show(session, flags)))
    .addHelpText("after", examples("ikigai audit", "ikigai audit --denied --json", "ikigai audit --follow"));
};

async function show({ host, settings, terminal }: Session, flags: AuditFlags): Promise<void> {
  const read = await openAudit(host);
  const wanted = (row: AuditRow): boolean =>
    (flags.tool === undefined || row.tool === flags.tool) &&
    (flags.denied !== true || row.outcome === "permission_denied");
  const seen = new Set<string>();
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  do {
    const rows = await read(Number(flags.limit));
    for (const row of rows.toReversed()) {
      if (seen.has(row.id) || !wanted(row)) continue;
      seen.add(row.id);
      terminal.print(settings.json ? JSON.stringify(row) : line(row));
    }
    if (flags.follow === true) await wait(LOOK_AGAIN_MS, undefined, { signal: stop.signal }).catch(() => {});
  } while (flags.follow === true && !stop.signal.aborted);
}

/** Rows of the store, or of the file while there is none; newest first. */
async function openAudit({ store }: Session["host"]): Promise<(limit: number) => Promise<readonly AuditRow[]>> {
  if (!hasFeature("store")) return async (limit) => (await readAuditFile(store.spool)).toReversed().slice(0, limit);
  const { readAudit } = await loadPart("@ikigai/store-postgres", "store");
  const { database, takeInAudit } = await store.open();
  await takeInAudit();
  return (limit) => readAudit(database, { limit });
}

function line({ at, agent, tool, operation, phase, outcome, details }: AuditRow): string {
  const { verdicts = [] } = JSON.parse(details) as {
    verdicts?: { decision: string; effect: { action: string; target: string } }[];
  };
  const effects = verdicts.map(({ decision, effect }) => `${decision} ${effect.action} ${effect.target}`).join("; ");
  return `${at}  ${agent}  ${tool}${operation === null ? "" : ` ${operation}`}  ${outcome ?? phase}  ${effects}`;
}
