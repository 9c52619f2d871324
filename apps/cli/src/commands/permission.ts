import { userInfo } from "node:os";
import type { TraceStep } from "@ikigai/core/host";
import { whyInert } from "@ikigai/permission";
import { actOfAPerson, assertPerson, explainCall } from "@ikigai/host/policy";
import { frameLines } from "../terminal/ask-about.ts";
import { type AddCommand, examples, type Session } from "../command-line.ts";
import { table } from "./sources.ts";

export const addPermission: AddCommand = (program, withSession) => {
  const permission = program
    .command("permission")
    .description("explain, list and revoke what may be done, and answer what is asked");
  permission
    .command("explain")
    .description("say what would be decided on a call, and why, without making it")
    .argument("<tool>")
    .argument("[arguments]", "a JSON object", "{}")
    .action(withSession((session, tool: string, argument: string) => explain(session, tool, argument)))
    .addHelpText("after", examples(`ikigai permission explain file_write '{"path":".git/config","content":""}'`));
  permission
    .command("list")
    .description("list the grants in force here")
    .action(withSession(list))
    .addHelpText("after", examples("ikigai permission list", "ikigai permission list --json"));
  permission
    .command("revoke")
    .description("take a grant back")
    .argument("<id>")
    .action(withSession((session, id: string) => revoke(session, id)))
    .addHelpText("after", examples("ikigai permission revoke 1a2b3c4d"));
  permission
    .command("pending")
    .description("list the questions that wait for an answer")
    .action(withSession(pending))
    .addHelpText("after", examples("ikigai permission pending"));
  for (const verb of ["approve", "deny"] as const) {
    permission
      .command(verb)
      .description(`${verb} what is asked for`)
      .argument("<id>")
      .option("--reason <text>", "what the model is told")
      .action(
        withSession((session, id: string, { reason }: { reason?: string }) =>
          answer(session, id, verb === "approve", reason),
        ),
      )
      .addHelpText("after", examples(`ikigai permission ${verb} 1a2b3c4d`));
  }
  permission.addHelpText("after", examples("ikigai permission list"));
};

/** Contract: resolves to 0 when the call would run unasked, and 1 otherwise. */
async function explain({ host, settings, terminal }: Session, tool: string, argument: string): Promise<number> {
  const { hooks = [], ...plan } = await explainCall(host, settings.agent, { name: tool, arguments: argument });
  if (settings.json) terminal.print(JSON.stringify({ ...plan, ...(hooks.length > 0 && { hooks }) }));
  if (plan.denied !== undefined) {
    if (!settings.json) terminal.print(`DENY  ${tool}\n${shown(plan.denied)}`);
    return 1;
  }
  for (const { effect, decision, trace } of settings.json ? [] : plan.verdicts) {
    terminal.print(`${decision.toUpperCase()}  ${effect.action} ${effect.target}`);
    for (const step of trace) terminal.print(shown(step));
  }
  if (!settings.json && plan.verdicts.length === 0) terminal.print("ALLOW  it touches nothing");
  for (const command of settings.json ? [] : hooks) {
    terminal.print(`HOOK  ${command.join(" ")}\n  is asked before ${tool} runs, and may deny it; it was not asked now`);
  }
  return hooks.length === 0 && plan.verdicts.every(({ decision }) => decision === "allow") ? 0 : 1;
}

function shown({ layer, decision, reason }: TraceStep): string {
  return `  ${layer.padEnd(10)} ${decision.padEnd(5)} ${reason}`;
}

function list({ host, settings, terminal }: Session): void {
  const grants = host.grants.list();
  if (settings.json) return terminal.print(JSON.stringify(grants));
  if (grants.length === 0) return terminal.print("No grants are in force here.");
  const rows = grants.map(({ id, duration, actions, pattern, created_at }) => [
    id,
    duration,
    actions.join(", "),
    pattern,
    created_at,
  ]);
  const inert = grants.flatMap((grant) => (whyInert(grant) === undefined ? [] : [`${grant.id}: ${whyInert(grant)}.`]));
  if (inert.length > 0) terminal.note(`Without effect, revoke them: ${inert.join(" ")}`);
  for (const line of table([["ID", "LASTS", "ACTIONS", "PATTERN", "SINCE"], ...rows])) terminal.print(line);
}

async function revoke({ host, settings }: Session, id: string): Promise<void> {
  const grant = host.grants.list().find((one) => one.id === id);
  const act = {
    command: "permission revoke",
    effect: { action: "delete", target: `grant:///${id}` },
    input: { ...grant },
  } as const;
  await actOfAPerson(settings, act, async () => host.grants.revoke(id));
}

async function pending({ host, settings, terminal }: Session): Promise<void> {
  const waiting = await host.store.approvals.pending();
  if (settings.json) return terminal.print(JSON.stringify(waiting));
  if (waiting.length === 0) return terminal.print("Nobody waits for an answer.");
  const rows = waiting.map(({ id, person, agent, tool, operation, expiresAt }) => [
    id,
    person,
    agent,
    operation === undefined ? tool : `${tool} ${operation}`,
    expiresAt.toISOString(),
  ]);
  const [head = "", ...lines] = table([["ID", "ASKED", "AGENT", "CALL", "UNTIL"], ...rows]);
  terminal.print(head);
  for (const [index, line] of lines.entries()) {
    terminal.print(line);
    for (const row of frameLines(terminal, waiting[index]?.question.split("\n") ?? [])) terminal.print(row);
  }
}

/** Contract: a command that an agent runs cannot answer, since it would answer for a person. */
async function answer(
  { host, settings, terminal }: Session,
  id: string,
  approved: boolean,
  reason?: string,
): Promise<void> {
  assertPerson("answer what a person is asked");
  const by = `${userInfo().username}, by ikigai permission`;
  const command = `permission ${approved ? "approve" : "deny"}`;
  const act = { command, effect: { action: "update", target: `question:///${id}` }, input: { reason } } as const;
  await actOfAPerson(settings, act, () =>
    host.store.approvals.answer(id, { approved, by, ...(reason !== undefined && { reason }) }),
  );
  terminal.note(approved ? `Approved ${id}.` : `Denied ${id}.`);
}
