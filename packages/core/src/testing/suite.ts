import assert from "node:assert/strict";
import { type ErrorCode, IkigaiError } from "../errors.ts";
import type { AnySourceDefinition, SourceHost } from "../source.ts";

/** The part of a test runner that a suite needs: `test` of vitest, node:test, Bun and Jest all fit. */
export type RegisterTest = (name: string, body: () => Promise<void>) => unknown;

/** What both suites take. */
export interface SuiteOptions {
  readonly test: RegisterTest;
  /**
   * Makes the options of one case, as a user would write them.
   *
   * Contract: called once per case, and each time it names storage that nothing else uses. Opening a source twice with
   * the same options gives two instances over the same storage.
   */
  readonly options: () => unknown;
  /** Case id to reason. A case named here must fail; once it passes, the suite says that it can be taken out. */
  readonly knownFailures?: Readonly<Record<string, string>>;
  /** Milliseconds a case may take once its options are made. Default 10,000. */
  readonly timeoutMs?: number;
}

/** One promise of the contract. Its id is permanent. */
export interface SuiteCase<Bench> {
  readonly id: string;
  readonly run: (bench: Bench) => Promise<void>;
}

/** What a case works with: sources over storage of its own. */
export interface SourceBench<Source> {
  readonly options: unknown;
  /** Aborts when the case has ended, well or badly. */
  readonly ended: AbortSignal;
  /** Another instance over the same storage, as a second process would open it. Closed when the case ends. */
  readonly open: () => Promise<Source>;
}

const TIMEOUT_MS = 10_000;

/** Registers `cases`, turning round those that are known to fail. */
export function registerCases<Source, Bench extends SourceBench<Source>>(
  suite: SuiteOptions & { readonly source: AnySourceDefinition },
  cases: readonly SuiteCase<Bench>[],
  extend: (bench: SourceBench<Source>) => Bench,
): void {
  const { test, knownFailures = {} } = suite;
  const stranger = Object.keys(knownFailures).find((id) => !cases.some((one) => one.id === id));
  if (stranger !== undefined) {
    throw new IkigaiError("invalid_input", `knownFailures names "${stranger}", which is not a case of this suite`, {
      hint: "Take it out, or correct its id.",
    });
  }
  for (const { id, run } of cases) {
    const reason = Object.hasOwn(knownFailures, id) ? knownFailures[id] : undefined;
    test(id, async () => {
      const outcome = runCase<Source>(suite, (bench) => run(extend(bench)));
      if (reason === undefined) return outcome;
      const failed = await outcome.then(
        () => false,
        () => true,
      );
      assert.ok(failed, `${id} passes now: take it out of knownFailures (${reason})`);
    });
  }
}

/** What a host makes of the options a user wrote. Fails when the schema refuses what the suite was given. */
export async function checkedOptions(source: AnySourceDefinition, options: unknown): Promise<unknown> {
  const checked = await source.options["~standard"].validate(options);
  if (checked.issues !== undefined) assert.fail(`the schema refuses the suite's options: ${JSON.stringify(checked)}`);
  return checked.value;
}

async function runCase<Source>(
  suite: SuiteOptions & { readonly source: AnySourceDefinition },
  run: (bench: SourceBench<Source>) => Promise<void>,
): Promise<void> {
  const options = await suite.options();
  const stopping = new AbortController();
  const opened: { close?(): Promise<void> }[] = [];
  const open = async (): Promise<Source> => {
    const host: SourceHost = { mount: "test", signal: stopping.signal, services: {}, warn: () => {} };
    const source = await suite.source.open(await checkedOptions(suite.source, options), host);
    opened.push(source);
    return source as Source;
  };
  try {
    await within(suite.timeoutMs ?? TIMEOUT_MS, run({ options, open, ended: stopping.signal }));
  } finally {
    stopping.abort();
    for (const source of opened) await source.close?.();
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the case did not finish within ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Fails unless `work` rejects with an `IkigaiError` of one of `codes`. */
export async function rejectsWith(work: Promise<unknown>, ...codes: readonly ErrorCode[]): Promise<void> {
  const wanted = codes.join(" or ");
  await assert.rejects(
    work,
    (error) =>
      codes.some((code) => IkigaiError.is(error, code)) || assert.fail(`wanted ${wanted}, got ${String(error)}`),
    `wanted ${wanted}, but it resolved`,
  );
}

/** Fails when `work` neither resolves nor rejects; either will do. */
export async function settles(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

/** The cases that hold for a definition of either kind. */
export function definitionCases(
  kind: "block" | "stream",
  source: AnySourceDefinition,
  contract: number,
): SuiteCase<unknown>[] {
  return [
    {
      id: `${kind}/define/contract`,
      async run() {
        assert.equal(source.kind, kind);
        assert.equal(source.contract, contract);
        assert.match(source.name, /^\S+$/, "the name is one word");
      },
    },
    {
      id: `${kind}/define/options-refuse-garbage`,
      async run() {
        for (const garbage of [null, 42, "garbage"]) {
          const checked = await source.options["~standard"].validate(garbage);
          assert.ok(checked.issues !== undefined, `the options accept ${JSON.stringify(garbage)}`);
        }
      },
    },
  ];
}
