import type { Message } from "@ikigai/agent";
import type { Redactor } from "@ikigai/permission";

/**
 * A message without the secrets in it, as it is kept.
 *
 * Contract: ids, roles and names stay; JSON stays JSON, so that the history stays valid.
 */
export function redactMessage(message: Message, redactor: Pick<Redactor, "redact" | "redactValue">): Message {
  const json = (text: string): string => {
    try {
      return JSON.stringify(redactor.redactValue(JSON.parse(text)));
    } catch {
      return redactor.redact(text);
    }
  };
  switch (message.role) {
    case "tool":
      return { ...message, envelope: json(message.envelope) };
    case "assistant": {
      const calls = message.calls.map((call) => ({ ...call, arguments: json(call.arguments) }));
      return { ...message, text: redactor.redact(message.text), calls };
    }
    default:
      return { ...message, text: redactor.redact(message.text) };
  }
}
