import type { Message } from "@ikigai/agent";
import type { ChatStore } from "./chat-store.ts";

/** Which conversation to open. Absent: a new one. */
export type Resume =
  | { readonly kind: "latest" }
  | { readonly kind: "choose" }
  | { readonly kind: "id"; readonly id: string };

const RECALLED = 4;

/** The conversation to open. Contract: `not_found` for an id that is none; says it when there is nothing to go on with. */
export async function chooseConversation(
  { conversations }: ChatStore,
  agent: string,
  resume: Resume | undefined,
  ask: (question: string) => Promise<string>,
  say: (line: string) => void,
): Promise<string> {
  if (resume === undefined) return conversations.create(agent);
  const known = await conversations.list(agent);
  if (resume.kind === "id") return recall(resume.id, await conversations.messages(resume.id), say);
  const [latest] = known;
  if (latest === undefined) {
    say("There is no conversation to go on with, so this is a new one.");
    return conversations.create(agent);
  }
  let chosen: string | undefined = latest.id;
  if (resume.kind === "choose") {
    known.slice(0, 20).forEach(({ updated_at, title }, index) => say(`${index + 1}  ${updated_at}  ${title}`));
    chosen = known[Number(await ask("Which one? ")) - 1]?.id;
  }
  if (chosen === undefined) return conversations.create(agent);
  return recall(chosen, await conversations.messages(chosen), say);
}

function recall(id: string, messages: readonly Message[], say: (line: string) => void): string {
  const told = messages.filter(
    (message) => message.role === "user" || (message.role === "assistant" && message.text !== ""),
  );
  for (const message of told.slice(-RECALLED))
    say(`${message.role === "user" ? "> " : ""}${"text" in message ? message.text : ""}`);
  return id;
}
