import assert from "node:assert/strict";
import { type ErrorCode, IkigaiError } from "../errors.ts";
import type { AnySourceDefinition, SourceHost } from "../source/source.ts";

/**
 * The part of a test runner that a suite needs: `test` of vitest, node:test, Bun and Jest all fit.
 *
 * Contract: when the runner passes a context with `skip`, as vitest and node:test do, a case that could not show anything
 * is skipped with its reason; with any other runner it passes.
 */
export type RegisterTest = (name: string, body: (...context: readonly unknown[]) => Promise<void>) => unknown;

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
  /**
   * Milliseconds a case may take once its options are made, and again for closing what it opened. Default 10,000. Cases
   * that start a process or hold hundreds of paths have three times as long.
   */
  readonly timeoutMs?: number;
}

/** One promise of the contract. Its id is permanent. */
export interface SuiteCase<Bench> {
  readonly id: string;
  /** Whether the case has three times as long as other cases. */
  readonly long?: boolean;
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

/** Says that a case could show nothing here, and why. Neither a success nor a failure. */
export class ShowsNothing extends Error {
  override readonly name = "ShowsNothing";
}

/** Milliseconds a case may take unless the suite says otherwise. */
export const TIMEOUT_MS = 10_000;
const LONG = 3;
/** Time limit of `options()`, which may have to start a server or a database first. */
const OPTIONS_TIMEOUT_MS = 120_000;

/** Registers `cases`, turning round those that are known to fail. */
export function registerCases<Source, Bench extends SourceBench<Source>>(
  suite: SuiteOptions & { readonly source: AnySourceDefinition },
  cases: readonly SuiteCase<Bench>[],
  extend: (bench: SourceBench<Source>) => Bench | Promise<Bench>,
): void {
  const { test, knownFailures = {} } = suite;
  const stranger = Object.keys(knownFailures).find((id) => !cases.some((one) => one.id === id));
  if (stranger !== undefined) {
    throw new IkigaiError("invalid_input", `knownFailures names "${stranger}", which is not a case of this suite`, {
      hint: "Take it out, or correct its id.",
    });
  }
  for (const { id, long = false, run } of cases) {
    const reason = Object.hasOwn(knownFailures, id) ? knownFailures[id] : undefined;
    const timeoutMs = (suite.timeoutMs ?? TIMEOUT_MS) * (long ? LONG : 1);
    test(id, async (...context) => {
      const outcome = runCase<Source>(suite, timeoutMs, async (bench) => run(await extend(bench)));
      const error = await outcome.then(
        () => undefined,
        (thrown: unknown) => ({ thrown }),
      );
      if (error?.thrown instanceof ShowsNothing) return skip(context, error.thrown.message);
      if (reason !== undefined) {
        assert.ok(error !== undefined, `${id} passes now: take it out of knownFailures (${reason})`);
      } else if (error !== undefined) throw error.thrown;
    });
  }
}

/** Tells the runner that a case was left out, when it can be told. */
function skip([context]: readonly unknown[], reason: string): void {
  const told = context as { readonly skip?: unknown } | null | undefined;
  if (typeof told?.skip === "function") told.skip(reason);
}

/** What a host makes of the options a user wrote. Fails when the schema refuses what the suite was given. */
export async function checkedOptions(source: AnySourceDefinition, options: unknown): Promise<unknown> {
  const checked = await source.options["~standard"].validate(options);
  if (checked.issues !== undefined) assert.fail(`the schema refuses the suite's options: ${JSON.stringify(checked)}`);
  return checked.value;
}

async function runCase<Source>(
  suite: SuiteOptions & { readonly source: AnySourceDefinition },
  timeoutMs: number,
  run: (bench: SourceBench<Source>) => Promise<void>,
): Promise<void> {
  const options = await within(OPTIONS_TIMEOUT_MS, "making its options", async () => suite.options());
  const stopping = new AbortController();
  const opened: { close?(): Promise<void> }[] = [];
  const open = async (): Promise<Source> => {
    const host: SourceHost = { mount: "test", signal: stopping.signal, services: {}, warn: () => {} };
    const source = await suite.source.open(await checkedOptions(suite.source, options), host);
    opened.push(source);
    return source as Source;
  };
  const problems: unknown[] = [];
  const attempt = (what: string, work: () => Promise<unknown>): Promise<unknown> =>
    within(timeoutMs, what, work).catch((error: unknown) => problems.push(error));
  await attempt("the case", () => run({ options, open, ended: stopping.signal }));
  stopping.abort();
  for (const source of opened) await attempt("closing the source", async () => source.close?.());
  if (problems.length > 0) throw problems[0];
}

async function within<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not finish within ${ms} ms`)), ms);
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
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

/** The next turn of the event loop. Rejects once the case has ended, so that no loop outlives it. */
export async function nextTurn(ended: AbortSignal): Promise<void> {
  await new Promise(setImmediate);
  ended.throwIfAborted();
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
