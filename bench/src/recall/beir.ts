import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface BeirSet {
  readonly documents: readonly { readonly id: string; readonly text: string }[];
  readonly queries: readonly { readonly text: string; readonly relevant: ReadonlyMap<string, number> }[];
}

/** Reads a folder in the BEIR layout: corpus.jsonl, queries.jsonl, qrels/test.tsv. */
export function readBeir(folder: string): BeirSet {
  const lines = (file: string): string[] => readFileSync(join(folder, file), "utf8").trim().split("\n");
  const relevant = new Map<string, Map<string, number>>();
  for (const line of lines("qrels/test.tsv").slice(1)) {
    const [query = "", document = "", score] = line.split("\t");
    const judged = relevant.get(query) ?? new Map<string, number>();
    relevant.set(query, judged.set(document, Number(score)));
  }
  const parse = (line: string): { _id: string; title?: string; text: string } =>
    JSON.parse(line) as { _id: string; title?: string; text: string };
  return {
    documents: lines("corpus.jsonl")
      .map(parse)
      .map(({ _id: id, title = "", text }) => ({ id, text: `${title} ${text}`.trim() })),
    queries: lines("queries.jsonl")
      .map(parse)
      .flatMap(({ _id, text }) => {
        const judged = relevant.get(_id);
        return judged === undefined ? [] : [{ text, relevant: judged }];
      }),
  };
}

/** Normalised discounted cumulative gain of the first ten results, in percent, averaged over queries. */
export async function ndcg10(
  { queries }: BeirSet,
  retrieve: (query: string, limit: number) => Promise<readonly string[]>,
): Promise<number> {
  let sum = 0;
  for (const { text, relevant } of queries) {
    const ids = await retrieve(text, 10);
    const best = [...relevant.values()].toSorted((a, b) => b - a).slice(0, 10);
    sum += gain(ids.map((id) => relevant.get(id) ?? 0)) / gain(best);
  }
  return Math.round((10_000 * sum) / queries.length) / 100;
}

function gain(scores: readonly number[]): number {
  return scores.reduce((sum, score, i) => sum + score / Math.log2(i + 2), 0);
}
