import { messageOf } from "@ikigai/core";
import type { ContextPart } from "./context.ts";
import type { Exchange } from "../messages.ts";

export interface SummaryState {
  readonly text: string;
  /** Number of evicted exchanges that the summary covers. */
  readonly covers: number;
}

/** The running summary of what no longer fits. Stale rather than blocking. */
export interface AutoSummary {
  /** Tells it what is evicted by now. Starts to work in the background; never throws. */
  evicted(exchanges: readonly Exchange[]): void;
  /** The summary as a part of the next request, if there is one. */
  part(evicted: number): ContextPart | undefined;
  /** How many evicted exchanges the summary covers by now. */
  readonly covers: number;
  /** Contract: resolves when nothing is being summarised any more. */
  settled(): Promise<void>;
}

export interface AutoSummaryOptions {
  readonly initial?: SummaryState;
  summarise(before: string, exchanges: readonly Exchange[]): Promise<string>;
  /** Keeps the summary, so that it outlives the process. */
  save(state: SummaryState): Promise<void>;
  readonly onFailure?: (message: string) => void;
}

export function createAutoSummary({
  initial = { text: "", covers: 0 },
  summarise,
  save,
  onFailure,
}: AutoSummaryOptions): AutoSummary {
  let state = initial;
  let wanted: readonly Exchange[] = [];
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (wanted.length > state.covers) {
      const exchanges = wanted;
      try {
        const text = await summarise(state.text, exchanges.slice(state.covers));
        state = { text, covers: exchanges.length };
        await save(state);
      } catch (error) {
        onFailure?.(`the summary stays as it was: ${messageOf(error)}`);
        return;
      }
    }
  }

  return {
    evicted(exchanges) {
      wanted = exchanges;
      if (exchanges.length > state.covers) working ??= work().finally(() => (working = undefined));
    },
    part(evicted) {
      // After going back to a mark the summary would tell of what was taken back.
      if (state.text === "" || evicted < state.covers) return undefined;
      const behind = evicted - state.covers;
      return {
        kind: "summary",
        source: "auto-summary",
        version: String(state.covers),
        text: state.text,
        reason:
          behind > 0
            ? `covers all but ${behind} of ${evicted} archived exchanges`
            : `covers ${evicted} archived exchanges`,
      };
    },
    get covers() {
      return state.covers;
    },
    settled: async () => working,
  };
}
