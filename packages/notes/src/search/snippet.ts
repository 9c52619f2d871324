import { wordsOf } from "./text-index.ts";

const SNIPPET = 200;

/** The line of `body` that holds most of the query's words, cut to a readable length. */
export function snippetOf(body: string, query: string): string {
  const wanted = new Set(wordsOf(query));
  let best = "";
  let most = 0;
  for (const line of body.split("\n")) {
    let count = 0;
    const words = new Set(wordsOf(line.slice(0, 2_000)));
    for (const word of wanted) if (words.has(word)) count += 1;
    if (count > most) {
      most = count;
      best = line;
    }
    if (most === wanted.size) break;
  }
  const text = best.trim();
  return text.length > SNIPPET ? `${text.slice(0, SNIPPET).toWellFormed()}…` : text;
}
