import type { Conversation } from "./locomo.ts";

/** Ids of the turns that a system finds for a question, best first. */
export type Retrieve = (question: string, limit: number) => Promise<readonly string[]>;

export interface Figures {
  readonly questions: number;
  /** Share of the evidence among the first results, in percent, averaged over questions. */
  readonly recall: Readonly<Record<"5" | "10" | "25", number>>;
  /** Share of questions with any evidence among the first ten. */
  readonly hit10: number;
  /** Mean reciprocal rank of the first evidence among the first 25. */
  readonly mrr: number;
}

export interface Report {
  readonly all: Figures;
  readonly categories: Readonly<Record<string, Figures>>;
}

const CUTS = ["5", "10", "25"] as const;

/** Asks every question of every conversation. `open` prepares a conversation and closes it by itself at exit. */
export async function measureRetrieval(
  conversations: readonly Conversation[],
  open: (conversation: Conversation) => Promise<Retrieve>,
): Promise<Report> {
  const samples: { category: string; recall: number[]; rank: number }[] = [];
  for (const conversation of conversations) {
    const retrieve = await open(conversation);
    for (const { text, category, evidence } of conversation.questions) {
      const ids = await retrieve(text, 25);
      const among = (count: number): number => ids.slice(0, count).filter((id) => evidence.has(id)).length;
      const rank = ids.findIndex((id) => evidence.has(id));
      samples.push({ category, recall: CUTS.map((cut) => among(Number(cut)) / evidence.size), rank });
    }
  }
  const figures = (of: typeof samples): Figures => ({
    questions: of.length,
    recall: Object.fromEntries(
      CUTS.map((cut, i) => [cut, percent(of.map(({ recall }) => recall[i] ?? 0))]),
    ) as Figures["recall"],
    hit10: percent(of.map(({ rank }) => (rank >= 0 && rank < 10 ? 1 : 0))),
    mrr: Math.round(100 * percent(of.map(({ rank }) => (rank < 0 ? 0 : 1 / (rank + 1))))) / 10_000,
  });
  const names = [...new Set(samples.map(({ category }) => category))].toSorted();
  const ofCategory = (name: string): typeof samples => samples.filter(({ category }) => category === name);
  return {
    all: figures(samples),
    categories: Object.fromEntries(names.map((name) => [name, figures(ofCategory(name))])),
  };
}

function percent(values: readonly number[]): number {
  return Math.round((10_000 * values.reduce((sum, value) => sum + value, 0)) / Math.max(1, values.length)) / 100;
}
