import { IkigaiError } from "@ikigai/core";
import type { RecallStore } from "../contract.ts";
import type { Embedder } from "@ikigai/core/host";
import { eraseCases } from "./erase-cases.ts";
import { insertCases } from "./insert-cases.ts";
import { searchCases } from "./search-cases.ts";
import { hostileCases } from "./hostile-cases.ts";
import { threadCases } from "./thread-cases.ts";
import { vectorCases } from "./vector-cases.ts";

/** An archive of its own for one case. */
export interface OpenedRecall {
  readonly store: RecallStore;
  close?(): Promise<void>;
}

export interface RecallSuite {
  /** `test` of vitest, node:test, Bun or Jest. */
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** Contract: gives an empty archive, with the embedder when one is asked for. Closed when the case ends. */
  readonly open: (options: { readonly embedder?: Embedder }) => Promise<OpenedRecall>;
  /** Case id to reason. A case named here must fail; once it passes, the suite says that it can be taken out. */
  readonly knownFailures?: Readonly<Record<string, string>>;
}

/** One promise of the contract. Its id is permanent. */
export interface RecallCase {
  readonly id: string;
  readonly embedder?: Embedder;
  readonly run: (store: RecallStore) => Promise<void>;
}

const CASES: readonly RecallCase[] = [
  ...insertCases,
  ...eraseCases,
  ...searchCases,
  ...hostileCases,
  ...threadCases,
  ...vectorCases,
];

/**
 * Proves a {@link RecallStore}: registers one test for every promise of the contract.
 *
 * Contract: none can be switched off; ids are permanent.
 */
export function testRecallStore({ test, open, knownFailures = {} }: RecallSuite): void {
  const stranger = Object.keys(knownFailures).find((id) => !CASES.some((one) => one.id === id));
  if (stranger !== undefined) {
    throw new IkigaiError("invalid_input", `knownFailures names "${stranger}", which is not a case of this suite`, {
      hint: "Take it out, or correct its id.",
    });
  }
  for (const one of CASES) {
    const reason = Object.hasOwn(knownFailures, one.id) ? knownFailures[one.id] : undefined;
    test(one.id, async () => {
      const outcome = runCase(one, open);
      if (reason === undefined) return outcome;
      const failed = await outcome.then(
        () => false,
        () => true,
      );
      if (failed) return;
      throw new IkigaiError("conflict", `${one.id} passes, although it is known to fail (${reason})`, {
        hint: "Take it out of knownFailures.",
      });
    });
  }
}

async function runCase({ embedder, run }: RecallCase, open: RecallSuite["open"]): Promise<void> {
  const opened = await open(embedder === undefined ? {} : { embedder });
  try {
    await run(opened.store);
  } finally {
    await opened.close?.();
  }
}
