import type { Store } from "../store/store.ts";
import { assetCases } from "./asset-cases.ts";
import { blockCases } from "./block-cases.ts";
import { budgetCases } from "./budget-cases.ts";
import { conversationCases } from "./conversation-cases.ts";
import { recordCases } from "./record-cases.ts";

/** A message and a manifest as the suite uses them. */
export interface SuiteMessage {
  readonly id: string;
  readonly at: string;
  readonly text: string;
}
export interface SuiteManifest {
  readonly entries: readonly unknown[];
  readonly summary?: unknown;
}
export type SuiteStore = Store<SuiteMessage, SuiteManifest>;

/** What a store is opened with: an agent may pin 100 tokens, and a text has as many as it has characters. */
export const SUITE_OPTIONS: {
  readonly budget: number;
  readonly countTokens: (text: string) => number;
  readonly titleOf: (messages: readonly SuiteMessage[]) => string;
} = {
  budget: 100,
  countTokens: (text) => text.length,
  titleOf: (messages) => messages[0]?.text ?? "",
};

/** An empty store of its own for one case. */
export interface OpenedStores {
  readonly store: SuiteStore;
  /** Opens the same store once more, as another process would. Closed with the first. */
  again(): Promise<SuiteStore>;
  close(): Promise<void>;
}

export interface StoreSuite {
  /** `test` of vitest, node:test, Bun or Jest. */
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** Contract: gives an empty store with these options. Closed when the case ends. */
  readonly open: (options: typeof SUITE_OPTIONS) => Promise<OpenedStores>;
  /** Whether it claims to keep assets, under the mount `ikigai`. */
  readonly keepsAssets: boolean;
}

/** One promise of the contract. Its id is permanent. */
export interface StoreCase {
  readonly id: string;
  readonly run: (stores: OpenedStores) => Promise<void>;
}

/**
 * Proves a `Store`: registers one test for every promise of the contract.
 *
 * Contract: none can be switched off; ids are permanent.
 */
export function testStore({ test, open, keepsAssets }: StoreSuite): void {
  const cases: readonly StoreCase[] = [...blockCases, ...budgetCases, ...conversationCases, ...recordCases];
  for (const { id, run } of [...cases, ...(keepsAssets ? assetCases : [])]) {
    test(id, async () => {
      const stores = await open(SUITE_OPTIONS);
      try {
        if ((stores.store.assets !== undefined) !== keepsAssets)
          throw new Error("assets are kept otherwise than claimed");
        await run(stores);
      } finally {
        await stores.close();
      }
    });
  }
}
