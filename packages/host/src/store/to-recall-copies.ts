import type { Message } from "@ikigai/agent";
import type { MirroredText } from "@ikigai/recall";

/** Characters of a message that are copied. */
const LONGEST = 20_000;

/** A message as the archive copies it. Contract: nothing for what tools answered, which can be had again. */
export function toRecallCopies(conversation: string, message: Message): readonly MirroredText[] {
  if (message.role === "tool" || message.text.trim() === "") return [];
  return [
    {
      kind: "turn",
      address: `conversation:///${conversation}/${message.id}`,
      content: `${message.role}: ${message.text}`.slice(0, LONGEST).toWellFormed(),
      thread: conversation,
      occurredAt: new Date(message.at),
    },
  ];
}
