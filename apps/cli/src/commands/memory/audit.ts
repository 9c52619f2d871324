import { realpathSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { AuditRow } from "@ikigai/memory";
import { type AddCommand, examples, type Session } from "../../command-line.ts";
import { type CallDetails, describeUnfinished, detailsOf } from "@ikigai/host/history";

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
    .option("--limit <n>", "how many of the latest: calls, or rows with --json", "50")
    .action(withSession((session, flags: AuditFlags) => show(session, flags)))
    .addHelpText("after", examples("ikigai audit", "ikigai audit --denied --json", "ikigai audit --follow"));
};

async function show(session: Session, flags: AuditFlags): Promise<void> {
  const { host, settings, terminal } = session;
  const { tool, denied = false } = flags;
  const limit = limitOf(flags.limit);
  // A call has up to two rows and is shown as one line.
  const rowLimit = settings.json ? limit : 2 * limit;
  const query = { limit: rowLimit, denied, ...(tool !== undefined && { tool }) };
  const seen = new Set<string>();
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  do {
    const rows = await host.store.audit.read(query);
    const ended = new Set(rows.filter(({ phase }) => phase === "outcome").map((row) => row.call_id));
    const shown = rows.filter(({ phase, call_id: id }) => settings.json || phase === "outcome" || !ended.has(id));
    for (const row of shown.slice(0, limit).toReversed()) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      if (settings.json) terminal.print(JSON.stringify(row));
      else if (row.phase === "outcome") terminal.print(finished(row, rows));
      else terminal.print(await unfinished(session, row, flags.follow === true));
    }
    if (flags.follow === true) await wait(LOOK_AGAIN_MS, undefined, { signal: stop.signal }).catch(() => {});
  } while (flags.follow === true && !stop.signal.aborted);
}

/** The end of a call, with who approved it, which its beginning tells. */
function finished(row: AuditRow, rows: readonly AuditRow[]): string {
  const began = rows.find(({ call_id, phase }) => call_id === row.call_id && phase === "intent");
  const approvedBy = began && detailsOf(began).approvedBy;
  return auditLine(row, row.outcome ?? "", { ...detailsOf(row), ...(approvedBy !== undefined && { approvedBy }) });
}

async function unfinished({ host, settings }: Session, row: AuditRow, following: boolean): Promise<string> {
  const call = detailsOf(row);
  return auditLine(
    row,
    following ? "began" : await describeUnfinished(host, realpathSync(settings.root), row, call),
    call,
  );
}

/** A call as one line: when, who, what, how it ended, what was decided and who approved. */
function auditLine(row: AuditRow, end: string, { verdicts, approvedBy, client }: CallDetails): string {
  const { at, agent, tool, operation } = row;
  const effects = verdicts.map(({ decision, effect }) => `${decision} ${effect.action} ${effect.target}`).join("; ");
  const by = approvedBy === undefined ? "" : `  approved by ${approvedBy}`;
  const who = client === undefined ? agent : `${agent} (${client})`;
  return `${at}  ${who}  ${tool}${operation === null ? "" : ` ${operation}`}  ${end}  ${effects}${by}`;
}

function limitOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not a number of rows`, {
    hint: "Write --limit 50.",
  });
}
