import type { TurnOutcome } from "@ikigai/agent";

/** What a person is told when the model said nothing at all. */
export function describeEmptyAnswer(why: NonNullable<TurnOutcome["empty"]>): string {
  if (why === "length") return "The model's answer was empty: it ran out of room before its first word.";
  if (why === "filter") return "The model's answer was empty: the provider's filter stopped it.";
  return "The model's answer was empty. Ask again, or in other words.";
}
