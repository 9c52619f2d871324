import assert from "node:assert/strict";
import { IkigaiError } from "../errors.ts";
import {
  type TextCapability,
  type TextFeatures,
  type TextReader,
  type DataBlockDefinition,
  SOURCE_CONTRACT,
} from "../source/source.ts";
import type { BlockBench, BlockCase, Texts } from "./block-case.ts";
import { historyCases } from "./block-history-cases.ts";
import { listCases } from "./block-list-cases.ts";
import { outsideCases } from "./block-outside-cases.ts";
import { processCases } from "./block-process-cases.ts";
import { raceCases } from "./block-race-cases.ts";
import { readCases } from "./block-read-cases.ts";
import { removeCases } from "./block-remove-cases.ts";
import { seedCases } from "./block-seed-cases.ts";
import { shapeCases } from "./block-shape-cases.ts";
import { watchCases } from "./block-watch-cases.ts";
import { writeCases } from "./block-write-cases.ts";
import { callerOf, noModule, packageModule } from "./find-module.ts";
import { openOtherProcess } from "./other-process.ts";
import { definitionCases, registerCases, type SourceBench, type SuiteCase, type SuiteOptions } from "./suite.ts";
import { tellingTexts } from "./telling-texts.ts";

export interface DataBlockSuite<Options, C extends TextCapability> extends SuiteOptions {
  readonly source: DataBlockDefinition<Options, C>;
  /**
   * Path to text: what the options make exist. A source that cannot write needs it, or `put`, or there would be nothing
   * to test. Of one that can, the paths begin with `seed/`, apart from those that the cases write. Default: nothing.
   */
  readonly seed?: Readonly<Record<string, string>>;
  /**
   * Puts texts into the storage that `options` name, by other means than the source; `undefined` takes a path away. With
   * it the suite itself chooses what a source that cannot write is shown, and looks whether changes by others are seen.
   *
   * Contract: when it resolves, the storage holds the texts; paths that are not named stay as they are.
   */
  readonly put?: (options: never, texts: Texts) => unknown;
  /** The paths that it takes with these options, like `paths` of the definition. Default: what the definition says. */
  readonly paths?: (index: number) => string;
  /**
   * The address of the module that exports the source, for the process that writes beside this one. Default: what the
   * package in which this is called means by its own name.
   */
  readonly module?: string | URL;
}

const FEATURES: readonly TextCapability[] = ["write", "remove", "watch", "history"];

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
 * Contract: the definition alone decides the cases, and none can be switched off; ids are permanent. A case that hangs
 * ends with its time.
 */
export function testDataBlock<Options, C extends TextCapability>(suite: DataBlockSuite<Options, C>): void {
  const { source } = suite;
  const paths = suite.paths ?? source.paths?.bind(source);
  const claimed: ReadonlySet<TextCapability> = new Set<TextCapability>(source.capabilities);
  const given = new Map(Object.entries(suite.seed ?? {}));
  assertTestable(suite, claimed, paths, given);
  // A source that cannot write is shown what the suite chooses, when the suite can put it there.
  const chooses = !claimed.has("write") && suite.put !== undefined && given.size === 0;
  const seed = chooses ? new Map(Object.entries(tellingTexts(paths))) : given;
  const module = suite.module ?? moduleBeside(callerOf(testDataBlock));

  const cases = [
    ...CASES,
    ...(source.storage === "process" ? [] : processCases),
    ...(paths === undefined ? [] : shapeCases),
  ];
  const chosen = [
    ...cases.filter(({ anyPath = false }) => !anyPath || paths === undefined),
    ...(seed.size === 0 ? [] : seedCases.map((one) => (chooses ? seeded(one) : one))),
    ...(suite.put === undefined || given.size > 0 ? [] : outsideCases),
  ].filter(({ needs }) => needs.every((need) => claimed.has(need)));
  registerCases<TextReader & TextFeatures, BlockBench>(
    suite,
    [...definitionCases("block", source, SOURCE_CONTRACT), capabilitiesCase(source.name, claimed), ...chosen],
    (bench) => ({
      ...bench,
      seed: chooses ? new Map<string, string>() : seed,
      path: pathsOfCase(paths),
      put: async (texts) => void (await suite.put?.(bench.options as never, texts)),
      async openElsewhere() {
        if (module === undefined) throw noModule(source.name);
        const opening = { module: String(module), name: source.name, options: bench.options };
        return openOtherProcess(opening, bench.ended);
      },
    }),
  );

  function seeded(one: BlockCase): BlockCase {
    return {
      ...one,
      long: true,
      async run(bench) {
        await bench.put(Object.fromEntries(seed));
        await one.run({ ...bench, seed });
      },
    };
  }
}

function assertTestable<Options, C extends TextCapability>(
  { source: { name }, put }: DataBlockSuite<Options, C>,
  claimed: ReadonlySet<TextCapability>,
  paths: unknown,
  seed: ReadonlyMap<string, string>,
): void {
  if (!claimed.has("write")) {
    if (seed.size > 0 || put !== undefined) return;
    throw new IkigaiError("invalid_input", `Source "${name}" cannot write, and the suite has neither seed nor put`, {
      hint: "Say in put how texts get into its storage, or in seed which paths and texts the options make exist.",
    });
  }
  const stray = paths === undefined && [...seed.keys()].find((path) => !path.startsWith("seed/"));
  if (typeof stray !== "string") return;
  throw new IkigaiError("invalid_input", `Source "${name}" can write, so its seed must begin with "seed/"`, {
    hint: `Move "${stray}" there; the other paths belong to the cases.`,
  });
}

/** Gives each name that a case uses a path of the source's own, in the order of use. */
function pathsOfCase(paths: ((index: number) => string) | undefined): (name: string) => string {
  if (paths === undefined) return (name) => name;
  const used = new Map<string, string>();
  return (name) => {
    const known = used.get(name) ?? paths(used.size);
    used.set(name, known);
    return known;
  };
}

function moduleBeside(file: string | undefined): string | undefined {
  return file === undefined ? undefined : packageModule(file);
}

function capabilitiesCase(name: string, claimed: ReadonlySet<TextCapability>): SuiteCase<SourceBench<unknown>> {
  return {
    id: "block/define/capabilities-match-methods",
    async run({ open }) {
      const opened = (await open()) as TextReader & TextFeatures;
      for (const feature of FEATURES) {
        const has = typeof opened[feature] === "function";
        assert.equal(has, claimed.has(feature), `source "${name}", capability "${feature}"`);
      }
    },
  };
}
