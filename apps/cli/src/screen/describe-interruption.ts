import type { Message } from "@ikigai/agent";
import { describeCall } from "./show-result.ts";

const COLUMNS = 80;

/**
 * What was under way when a conversation ended, for the person who goes on with it.
 *
 * Contract: escaped; absent when the last turn came to its end, also by one of the tools in `exits`.
 */
export function describeInterruption(messages: readonly Message[], exits: readonly string[] = []): string | undefined {
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  if (last.role === "user" || last.role === "event")
    return "The last question was not answered before the program ended. Ask again, or say go on.";
  if (last.role === "assistant" && last.interrupted === true)
    return "The last turn was stopped; what it had said and done so far is kept. Say go on to continue.";
  const asked = messages.findLast((message) => message.role === "assistant");
  const answered = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.callId] : [])));
  const open = asked?.role === "assistant" ? asked.calls.filter(({ id }) => !answered.has(id)) : [];
  if (open.length > 0) {
    const calls = open.map((call) => describeCall(call, COLUMNS)).join(", ");
    const [it, has] = open.length === 1 ? ["it", "has"] : ["they", "have"];
    return `Interrupted: ${calls}. Whether ${it} ran is not known; ${it} ${has} no result and will not be run again unasked.`;
  }
  if (last.role === "assistant" || exits.includes(last.name)) return undefined;
  return `The turn was stopped after ${last.name}; its result is kept. Say go on to continue.`;
}
