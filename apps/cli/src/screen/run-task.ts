import { realpathSync } from "node:fs";
import { fence, type TurnListener, type TurnOutcome } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import type { Resume } from "../command-line.ts";
import { type Host } from "@ikigai/host";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import type { Settings } from "../settings.ts";
import { confirmAbout } from "../terminal/ask-about.ts";
import { escapeText } from "@ikigai/terminal";
import type { Terminal } from "../terminal/terminal.ts";
import {
  createLateCompaction,
  describeEmptyAnswer,
  findConversation,
  includeMentions,
  listConversations,
  openAgent,
  type OpenAgent,
  openChatStore,
} from "@ikigai/host/agent";

export const EXIT_CODES = { done: 0, failed: 1, denied: 3, steps_used_up: 4, aborted: 130 } as const;

const LONGEST_INPUT = 400_000;

export interface TaskOptions {
  /** Absent: standard input is the task. */
  readonly task?: string;
  /** Requests to the model at most. Default 50. */
  readonly maxTurns?: number;
  /** The conversation to go on with. Absent: a new one. */
  readonly resume?: Resume;
}

/**
 * One task without a person: standard output carries the answer, or events as JSON lines.
 *
 * Contract: resolves to the exit code. Rejects, so misuse, for what is wrong before the first request.
 */
export async function runTask(settings: Settings, terminal: Terminal, options: TaskOptions): Promise<number> {
  const { maxTurns, resume } = options;
  if (resume?.kind === "choose") {
    throw new IkigaiError("invalid_input", "--resume without an id asks which conversation, and a task asks nothing", {
      hint: "Name it: ikigai run --resume ID TASK. The ids are listed by: ikigai conversations.",
    });
  }
  if (options.task === undefined && terminal.piped !== true) throw noTask();
  const compaction = createLateCompaction();
  const host = await openTerminalHost(settings, terminal, { assist: { compact: compaction.compact } });
  try {
    await host.servers.start();
    using agent = await openAgent({
      host,
      place: settings,
      store: openChatStore(host),
      warn: (message) => terminal.complain(message),
      ...(maxTurns !== undefined && { maxSteps: maxTurns }),
    });
    compaction.use(agent);
    return await runWith(agent, host, settings, terminal, options);
  } finally {
    await host.close();
  }
}

async function runWith(
  agent: OpenAgent,
  host: Host,
  settings: Settings,
  terminal: Terminal,
  { task, resume }: TaskOptions,
): Promise<number> {
  const { json } = settings;
  await agent.model();
  const confirm = (heading: string): Promise<boolean> => confirmAbout(terminal, { heading }, "Send it along?");
  const { text, lines } =
    task === undefined
      ? { lines: [] }
      : await includeMentions(task, [], { host, place: settings, ...(terminal.interactive && { confirm }) });
  for (const line of lines) terminal.note(line);
  const prompt = terminal.piped === true ? withInput(text, await terminal.readInput()) : (text ?? "");
  const conversation = await openConversation(host, agent, realpathSync(settings.root), resume);
  const session = await agent.session(conversation);
  const emit = (event: object): void => terminal.print(escapeText(JSON.stringify(event)));
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once("SIGINT", stop);
  try {
    const listener = json ? jsonListener(emit) : noteListener((line) => terminal.note(line));
    const outcome = await session.send(prompt, interrupted.signal, listener);
    await agent.settled();
    if (json) emit({ type: "end", ...toJson(outcome), conversation });
    else if (outcome.text !== "") terminal.print(escapeText(outcome.text));
    if (outcome.empty !== undefined && !json) terminal.complain(describeEmptyAnswer(outcome.empty));
    if (outcome.error !== undefined && !json) terminal.complain(explain(outcome.error));
    return exitCode(outcome);
  } finally {
    process.removeListener("SIGINT", stop);
  }
}

export function exitCode({ status, denied }: Pick<TurnOutcome, "status" | "denied">): number {
  return status === "done" && denied ? EXIT_CODES.denied : EXIT_CODES[status];
}

/** Contract: `not_found` when there is none to go on with, since a script counts on what was said before. */
async function openConversation(
  { store: { conversations } }: Host,
  { name }: OpenAgent,
  workspace: string,
  resume: Resume | undefined,
): Promise<string> {
  if (resume === undefined) return conversations.create(name, workspace);
  if (resume.kind === "id") return findConversation(conversations, name, workspace, resume.id);
  const [latest] = await listConversations(conversations, name, workspace);
  if (latest !== undefined) return latest.id;
  throw new IkigaiError("not_found", "There is no conversation to go on with in this folder", {
    hint: "Leave --continue out, or name one by its id: ikigai conversations --all lists them.",
  });
}

function noTask(): IkigaiError {
  return new IkigaiError("invalid_input", "There is no task", {
    hint: 'Write one, such as ikigai run "what is in this folder?", or pipe it in.',
  });
}

function withInput(text: string | undefined, input: string): string {
  if (input.length > LONGEST_INPUT) {
    throw new IkigaiError("over_budget", `Standard input has ${input.length} characters, more than ${LONGEST_INPUT}`, {
      hint: "Send less of it, or save it to a file and let the agent read what it needs.",
    });
  }
  if (text === undefined && input.trim() === "") throw noTask();
  if (text === undefined) return input.trim();
  return input.trim() === "" ? text : `${text}\n\n${fence(input, "standard input", "1")}`;
}

function jsonListener(emit: (event: object) => void): TurnListener {
  return {
    onText: (text) => emit({ type: "text", text }),
    onRestart: (reason) => emit({ type: "restart", reason }),
    onCall: ({ id, name, arguments: input }) => emit({ type: "call", id, name, arguments: input }),
    onProgress: ({ id }, message) => emit({ type: "progress", id, message }),
    onResult: ({ id, name }, envelope) => emit({ type: "result", id, name, envelope }),
    onReply: ({ usage, finish }) => emit({ type: "reply", usage, finish }),
  };
}

function noteListener(note: (line: string) => void): TurnListener {
  return {
    onRestart: note,
    onCall: ({ name, arguments: input }) => note(`· ${name} ${input.slice(0, 200)}`),
    onResult: ({ name }, envelope) => {
      if (!envelope.success) note(`  ${name}: ${envelope.error}`);
    },
  };
}

function toJson({ error, ...outcome }: TurnOutcome): object {
  return {
    ...outcome,
    ...(error !== undefined && {
      error: { code: error.code, message: error.message, ...(error.hint !== undefined && { hint: error.hint }) },
    }),
  };
}

function explain({ message, hint }: IkigaiError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
