/** A question that one key answers. */
export interface Choice {
  readonly question: string;
  /** What each key does, by its letter, in the order in which they are shown. Lower case. */
  readonly keys: Readonly<Record<string, string>>;
}

const WORDS: Readonly<Record<string, string>> = { yes: "y", no: "n" };
const LONGEST_ECHO = 20;

/** The question with its keys: `Allow it? [y] once  [n] no: `. */
export function choicePrompt({ question, keys }: Choice): string {
  const shown = Object.entries(keys).map(([key, label]) => `[${key}] ${label}`);
  return `${question} ${shown.join("  ")}: `;
}

/** The key that a typed character or line stands for. Contract: `undefined` for everything else, so nothing is guessed. */
export function keyOf(typed: string, { keys }: Choice): string | undefined {
  const word = typed.trim().toLowerCase();
  const key = WORDS[word] ?? word;
  return Object.hasOwn(keys, key) ? key : undefined;
}

/** What is said to a key that is none of the question's. */
export function notAKey(typed: string, { keys }: Choice): string {
  const all = Object.keys(keys);
  const known = all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : all.join("");
  const what = typed.length > LONGEST_ECHO || typed.trim() === "" ? "That" : JSON.stringify(typed.trim());
  return `${what} is none of ${known}.`;
}
