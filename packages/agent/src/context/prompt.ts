import type { LanguageModelV3FunctionTool, LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ToolCard } from "@ikigai/core/host";
import { completeHistory, type Message, spoken } from "../messages.ts";

/** The messages of a request in the form that every AI SDK provider takes. */
export function toPrompt(system: readonly string[], messages: readonly Message[]): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = system
    .filter((text) => text !== "")
    .map((content) => ({ role: "system", content }));
  for (const message of completeHistory(messages)) {
    const next = toModelMessage(message);
    const last = prompt.at(-1);
    // Results of parallel calls belong into one message, and providers refuse two users in a row.
    if (last?.role === "tool" && next.role === "tool") last.content.push(...next.content);
    else if (last?.role === "user" && next.role === "user") prompt[prompt.length - 1] = joined(last, next);
    else prompt.push(next);
  }
  return prompt;
}

type UserMessage = Extract<LanguageModelV3Message, { role: "user" }>;

/** One text with a gap: servers that read the parts as one text would run a notice and a question together. */
function joined(first: UserMessage, second: UserMessage): UserMessage {
  const texts = [...first.content, ...second.content].flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { role: "user", content: [{ type: "text", text: texts.join("\n\n") }] };
}

/** The catalog in the form that every AI SDK provider takes. */
export function toModelTools(cards: readonly ToolCard[]): LanguageModelV3FunctionTool[] {
  return cards.map(({ name, description, inputSchema }) => ({ type: "function", name, description, inputSchema }));
}

function toModelMessage(message: Message): LanguageModelV3Message {
  switch (message.role) {
    case "user":
    case "event":
      return { role: "user", content: [{ type: "text", text: message.text }] };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...(spoken(message) === "" ? [] : [{ type: "text" as const, text: spoken(message) }]),
          ...message.calls.map(({ id, name, arguments: input }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input: parsed(input),
          })),
        ],
      };
    case "tool":
      return {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: message.callId,
            toolName: message.name,
            output: { type: "text", value: message.envelope },
          },
        ],
      };
  }
}

/** Providers want an object back; what did not parse is shown as the text it was. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : { arguments: value };
  } catch {
    return { not_json: text };
  }
}
