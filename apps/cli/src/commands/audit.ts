import { realpathSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import { type AuditRow, readAuditFile } from "@ikigai/memory";
import { type AddCommand, examples, type Session } from "../command-line.ts";
import { loadPart } from "@ikigai/host/parts";
import { auditLine, detailsOf } from "./audit-line.ts";
import { describeUnfinished } from "./unfinished-calls.ts";

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
    .action((flags: AuditFlags) => withSession((session) => show(session, flags)))
    .addHelpText("after", examples("ikigai audit", "ikigai audit --denied --json", "ikigai audit --follow"));
};

interface Query {
  readonly tool?: string;
  readonly denied: boolean;
  readonly limit: number;
}

async function show(session: Session, flags: AuditFlags): Promise<void> {
  const { host, settings, terminal } = session;
  const { tool, denied = false } = flags;
  const limit = limitOf(flags.limit);
  // A call has up to two rows and is shown as one line.
  const rowLimit = settings.json ? limit : 2 * limit;
  const read = openAudit(host, { limit: rowLimit, denied, ...(tool !== undefined && { tool }) });
  const seen = new Set<string>();
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  do {
    const rows = await read();
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

/** Rows of the store, or of the file while there is none; newest first. */
export function openAudit({ store }: Session["host"], query: Query): () => Promise<readonly AuditRow[]> {
  const { tool, denied, limit } = query;
  const wanted = (row: AuditRow): boolean =>
    (tool === undefined || row.tool === tool) && (!denied || row.outcome === "permission_denied");
  return async () => {
    if (!(await store.exists())) {
      return (await readAuditFile(store.spool)).filter(wanted).toReversed().slice(0, limit);
    }
    const { readAudit } = await loadPart("@ikigai/store-postgres", "store");
    const { database, takeInAudit } = await store.open();
    await takeInAudit();
    return readAudit(database, query);
  };
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

function limitOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not a number of rows`, {
    hint: "Write --limit 50.",
  });
}
