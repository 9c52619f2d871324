import assert from "node:assert/strict";
import { IkigaiError } from "../errors.ts";
import {
  type BlockCapability,
  type BlockFeatures,
  type BlockReader,
  type DataBlockDefinition,
  SOURCE_CONTRACT,
} from "../source.ts";
import type { BlockBench, BlockCase } from "./block-case.ts";
import { historyCases } from "./block-history-cases.ts";
import { listCases } from "./block-list-cases.ts";
import { raceCases } from "./block-race-cases.ts";
import { readCases } from "./block-read-cases.ts";
import { removeCases } from "./block-remove-cases.ts";
import { seedCases } from "./block-seed-cases.ts";
import { watchCases } from "./block-watch-cases.ts";
import { writeCases } from "./block-write-cases.ts";
import { definitionCases, registerCases, type SuiteCase, type SuiteOptions } from "./suite.ts";

export interface DataBlockSuite<Options, C extends BlockCapability> extends SuiteOptions {
  readonly source: DataBlockDefinition<Options, C>;
  /**
   * Path to text: what the options make exist. A source that cannot write needs it, or there would be nothing to
   * test. Of one that can, the paths begin with `seed/`, apart from those that the cases write. Default: nothing.
   */
  readonly seed?: Readonly<Record<string, string>>;
}

const FEATURES: readonly BlockCapability[] = ["write", "remove", "watch", "history"];

const CASES: readonly BlockCase[] = [
  ...readCases,
  ...listCases,
  ...writeCases,
  ...raceCases,
  ...removeCases,
  ...watchCases,
  ...historyCases,
];

/**
 * Proves a source of text: registers one test for every promise that its capabilities make.
 *
 * Contract: the capabilities alone decide the cases, and none can be switched off; ids are permanent.
 */
export function testDataBlock<Options, C extends BlockCapability>(suite: DataBlockSuite<Options, C>): void {
  const { source } = suite;
  const claimed: ReadonlySet<BlockCapability> = new Set<BlockCapability>(source.capabilities);
  const seed = new Map(Object.entries(suite.seed ?? {}));
  if (!claimed.has("write") && seed.size === 0) {
    throw new IkigaiError("invalid_input", `Source "${source.name}" cannot write, and the suite has no seed`, {
      hint: "Say in seed which paths and texts the options make exist.",
    });
  }
  const stray = claimed.has("write") && [...seed.keys()].find((path) => !path.startsWith("seed/"));
  if (typeof stray === "string") {
    throw new IkigaiError("invalid_input", `Source "${source.name}" can write, so its seed must begin with "seed/"`, {
      hint: `Move "${stray}" there; the other paths belong to the cases.`,
    });
  }
  const chosen = [...CASES, ...(seed.size === 0 ? [] : seedCases)].filter(({ needs }) =>
    needs.every((need) => claimed.has(need)),
  );
  registerCases<BlockReader & BlockFeatures, BlockBench>(
    suite,
    [...definitionCases("block", source, SOURCE_CONTRACT), capabilitiesCase(source.name, claimed), ...chosen],
    (bench) => ({ ...bench, seed }),
  );
}

function capabilitiesCase(name: string, claimed: ReadonlySet<BlockCapability>): SuiteCase<BlockBench> {
  return {
    id: "block/define/capabilities-match-methods",
    async run({ open }) {
      const opened = await open();
      for (const feature of FEATURES) {
        const has = typeof opened[feature] === "function";
        assert.equal(has, claimed.has(feature), `source "${name}", capability "${feature}"`);
      }
    },
  };
}
