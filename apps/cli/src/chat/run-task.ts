import { expandPrompt, fence, type TurnListener, type TurnOutcome } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import type { Session } from "../command-line.ts";
import { escapeText } from "../terminal.ts";
import { openAgent } from "./open-agent.ts";
import { openChatStore } from "./open-chat-store.ts";

export const EXIT_CODES = { done: 0, failed: 1, denied: 3, steps_used_up: 4, aborted: 130 } as const;

const LONGEST_INPUT = 400_000;

/**
 * One task without a person: standard output carries the answer, or events as JSON lines.
 *
 * Contract: resolves to the exit code. Rejects, so misuse, for what is wrong before the first request.
 */
export async function runTask({ host, settings, terminal }: Session, task: string, maxTurns?: number): Promise<number> {
  const store = openChatStore(host);
  const emit = (event: object): void => terminal.print(escapeText(JSON.stringify(event)));
  using agent = await openAgent({
    host,
    settings,
    store,
    warn: (message) => terminal.complain(message),
    ...(maxTurns !== undefined && { maxSteps: maxTurns }),
  });
  await agent.model();
  const { text } = await expandPrompt(task, { sources: host.sources });
  const prompt = terminal.piped === true ? withInput(text, await terminal.readInput()) : text;
  const conversation = await store.conversations.create(agent.name);
  const session = await agent.session(conversation);

  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once("SIGINT", stop);
  try {
    const listener = settings.json ? jsonListener(emit) : noteListener((line) => terminal.note(line));
    const outcome = await session.send(prompt, interrupted.signal, listener);
    await agent.settled();
    if (settings.json) emit({ type: "end", ...toJson(outcome), conversation });
    else if (outcome.text !== "") terminal.print(escapeText(outcome.text));
    if (outcome.error !== undefined && !settings.json) terminal.complain(explain(outcome.error));
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
