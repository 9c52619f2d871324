import { setTimeout as wait } from "node:timers/promises";
import type { AuditRow } from "@ikigai/store-postgres";
import { type AddCommand, examples, type Session } from "../command-line.ts";

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
  const { readAudit } = await import("@ikigai/store-postgres");
  const { database, takeInAudit } = await host.store.open();
  const wanted = (row: AuditRow): boolean =>
    (flags.tool === undefined || row.tool === flags.tool) &&
    (flags.denied !== true || row.outcome === "permission_denied");
  const seen = new Set<string>();
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  do {
    await takeInAudit();
    const rows = await readAudit(database, { limit: Number(flags.limit) });
    for (const row of rows.toReversed()) {
      if (seen.has(row.id) || !wanted(row)) continue;
      seen.add(row.id);
      terminal.print(settings.json ? JSON.stringify(row) : line(row));
    }
    if (flags.follow === true) await wait(LOOK_AGAIN_MS, undefined, { signal: stop.signal }).catch(() => {});
  } while (flags.follow === true && !stop.signal.aborted);
}

function line({ at, agent, tool, operation, phase, outcome, details }: AuditRow): string {
  const { verdicts = [] } = JSON.parse(details) as {
    verdicts?: { decision: string; effect: { action: string; target: string } }[];
  };
  const effects = verdicts.map(({ decision, effect }) => `${decision} ${effect.action} ${effect.target}`).join("; ");
  return `${at}  ${agent}  ${tool}${operation === null ? "" : ` ${operation}`}  ${outcome ?? phase}  ${effects}`;
}
