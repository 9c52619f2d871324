import { IkigaiError } from "@ikigai/core";
import type { Pin } from "./pins.ts";

const SHOWN = 20;

/**
 * The seed's sentence with the exact numbers; the hint says what unpinning each pinned text would free.
 *
 * Contract: `/compact` is advised only where `canCompact` says that there is one.
 */
export function overBudget(
  total: number,
  limit: number,
  cost: number,
  verb: string,
  pins: readonly Pin[],
  canCompact: boolean,
): IkigaiError {
  const largest = pins.toSorted((a, b) => b.tokens - a.tokens || (a.uri < b.uri ? -1 : 1));
  const shown = largest.slice(0, SHOWN).map(({ uri, tokens }) => `${uri} frees ${tokens} tokens`);
  const more = largest.length > SHOWN ? `; and ${largest.length - SHOWN} smaller ones` : "";
  const use = verb === "limit" ? "More is pinned than that." : `This ${verb} would use ${cost} tokens.`;
  const hintOf = (): string => {
    if (shown.length === 0) return "Shorten the text.";
    if (cost <= limit) return `Unpin or shorten one of these: ${shown.join("; ")}${more}.`;
    return `Shorten the text: ${cost} tokens are more than the whole budget, so unpinning others cannot make room.`;
  };
  return new IkigaiError(
    "over_budget",
    `Block budget exceeded: ${total}/${limit} tokens. ${use} Use ${canCompact ? "/compact or " : ""}/unpin to free space.`,
    {
      hint: hintOf(),
      details: { total, limit, cost, pinned: largest.map(({ uri, tokens }) => ({ uri, tokens })) },
    },
  );
}
