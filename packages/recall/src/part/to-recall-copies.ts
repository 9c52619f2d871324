import type { OwnedTexts } from "@ikigai/core/host";
import type { MirroredText } from "../contract.ts";

type SpokenMessage = Awaited<ReturnType<OwnedTexts["conversations"]["messages"]>>[number];

/** Characters of a message that are copied. */
const LONGEST = 20_000;

/** A message as the archive copies it. Contract: nothing for what tools answered, which can be had again. */
export function toRecallCopies(conversation: string, message: SpokenMessage): readonly MirroredText[] {
  const { role, text = "" } = message;
  if (role === "tool" || text.trim() === "") return [];
  return [
    {
      kind: "turn",
      address: `conversation:///${conversation}/${message.id}`,
      content: `${role}: ${text}`.slice(0, LONGEST).toWellFormed(),
      thread: conversation,
      occurredAt: new Date(message.at),
    },
  ];
}
