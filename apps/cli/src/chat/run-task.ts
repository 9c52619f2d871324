import { expandPrompt, fence, type TurnListener, type TurnOutcome } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import { type Host, openHost } from "../host.ts";
import type { Settings } from "../settings.ts";
import { escapeText, type Terminal } from "../terminal.ts";
import { createLateCompaction } from "./late-compaction.ts";
import { type OpenAgent, openAgent } from "./open-agent.ts";
import { openChatStore } from "./open-chat-store.ts";

export const EXIT_CODES = { done: 0, failed: 1, denied: 3, steps_used_up: 4, aborted: 130 } as const;

const LONGEST_INPUT = 400_000;

/**
 * One task without a person: standard output carries the answer, or events as JSON lines.
 *
 * Contract: resolves to the exit code. Rejects, so misuse, for what is wrong before the first request.
 */
export async function runTask(
  settings: Settings,
  terminal: Terminal,
  task: string,
  maxTurns?: number,
): Promise<number> {
  const compaction = createLateCompaction();
  const host = await openHost(settings, terminal, { assist: { compact: compaction.compact } });
  try {
    await host.servers.start();
    using agent = await openAgent({
      host,
      settings,
      store: openChatStore(host),
      warn: (message) => terminal.complain(message),
      ...(maxTurns !== undefined && { maxSteps: maxTurns }),
    });
    compaction.use(agent);
    return await runWith(agent, host, settings, terminal, task);
  } finally {
    await host.close();
  }
}

async function runWith(
  agent: OpenAgent,
  host: Host,
  { json }: Settings,
  terminal: Terminal,
  task: string,
): Promise<number> {
  await agent.model();
  const { text } = await expandPrompt(task, { sources: host.sources });
  const prompt = terminal.piped === true ? withInput(text, await terminal.readInput()) : text;
  const conversation = await host.store.conversations.create(agent.name);
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
    if (outcome.error !== undefined && !json) terminal.complain(explain(outcome.error));
    return exitCode(outcome);
  } finally {
    process.removeListener("SIGINT", stop);
  }
}

export function exitCode({ status, denied }: Pick<TurnOutcome, "status" | "denied">): number {
  return status === "done" && denied ? EXIT_CODES.denied : EXIT_CODES[status];
}

function withInput(text: string, input: string): string {
  if (input.length > LONGEST_INPUT) {
    throw new IkigaiError("over_budget", `Standard input has ${input.length} characters, more than ${LONGEST_INPUT}`, {
      hint: "Send less of it, or save it to a file and let the agent read what it needs.",
    });
  }
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
