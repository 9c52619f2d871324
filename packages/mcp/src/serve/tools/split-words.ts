import type { PromptArgumentCard } from "../resources/prompts.ts";
import type { ClientFacts } from "./presentation.ts";

/** Clients that give each typed word to an argument of its own. */
const SPLITTING: ReadonlySet<string> = new Set(["claude-code"]);
/** Words of one text that such a client can give. */
const MAX_WORDS = 60;

/** The arguments of a prompt as a client is offered them: for one that splits, a text is many arguments of one word. */
export function offeredArguments(
  cards: readonly PromptArgumentCard[],
  client: ClientFacts | undefined,
): Omit<PromptArgumentCard, "words">[] {
  const splits = client !== undefined && SPLITTING.has(client.name.toLowerCase());
  return cards.flatMap(({ words = false, ...card }) =>
    words && splits
      ? [card, ...Array.from({ length: MAX_WORDS - 1 }, (_, index) => ({ name: wordName(card.name, index + 2) }))]
      : [card],
  );
}

/**
 * The values of a prompt's arguments, with the words of a text put together again.
 *
 * Contract: what is no word of such a text stays as it is, in whichever way a client gave it.
 */
export function joinWords(values: Readonly<Record<string, string>>): Record<string, string> {
  const joined: Record<string, string> = {};
  const words = new Map<string, [number, string][]>();
  for (const [name, value] of Object.entries(values)) {
    const match = WORD_NAME.exec(name);
    if (match === null) joined[name] = value;
    else words.set(match[1] as string, [...(words.get(match[1] as string) ?? []), [Number(match[2]), value]]);
  }
  for (const [name, more] of words) {
    const ordered = more.toSorted(([a], [b]) => a - b).map(([, word]) => word);
    joined[name] = [joined[name], ...ordered].filter((word) => word !== undefined && word !== "").join(" ");
  }
  return joined;
}

const WORD_NAME = /^(.+)_word_(\d+)$/;

function wordName(name: string, place: number): string {
  return `${name}_word_${place}`;
}
