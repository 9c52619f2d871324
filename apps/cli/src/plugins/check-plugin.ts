import {
  type AnySourceDefinition,
  type BlockCapability,
  type DataBlockDefinition,
  describeIssues,
  IkigaiError,
  messageOf,
} from "@ikigai/core";
import { createScratch } from "./scratch.ts";
import { takeSample } from "./sample.ts";

/** How one promise of the contract came out. */
export interface CheckedCase {
  readonly id: string;
  /** Absent: it holds. */
  readonly error?: string;
}

export interface CheckRequest {
  readonly definition: AnySourceDefinition;
  /** The user's own options. */
  readonly options: unknown;
  /** Options of throwaway places, as text; see {@link createScratch}. */
  readonly scratch?: string;
}

/**
 * Runs the conformance suite against a plugin.
 *
 * Contract: without `scratch` nothing is ever written: a source of text is checked by reading some of the documents it
 * holds, and the cases that change something are not run. With it, every case runs, each in a place of its own.
 */
export async function checkPlugin({ definition, options, scratch }: CheckRequest): Promise<CheckedCase[]> {
  const { testDataBlock, testDataStream } = await import("@ikigai/core/testing");
  const cases: { readonly id: string; readonly body: () => Promise<void> }[] = [];
  const test = (id: string, body: () => Promise<void>): void => void cases.push({ id, body });
  using places = scratch === undefined ? undefined : createScratch(scratch);
  if (places !== undefined) await assertFits(definition, places.next());
  const each = (): unknown => (places === undefined ? options : places.next());
  if (definition.kind === "stream") testDataStream({ test, source: definition, options: each });
  else if (places !== undefined && (definition.capabilities as readonly string[]).includes("write")) {
    testDataBlock({ test, source: definition as DataBlockDefinition<unknown, BlockCapability>, options: each });
  } else testDataBlock({ test, ...(await takeSample(definition, options)), options: () => options });
  const checked: CheckedCase[] = [];
  for (const { id, body } of cases) {
    const error = await body().then(
      () => undefined,
      (thrown: unknown) => messageOf(thrown),
    );
    checked.push({ id, ...(error !== undefined && { error }) });
  }
  return checked;
}

async function assertFits(definition: AnySourceDefinition, options: unknown): Promise<void> {
  const { issues } = await definition.options["~standard"].validate(options);
  if (issues === undefined) return;
  throw new IkigaiError("invalid_input", `The scratch options do not fit the plugin: ${describeIssues(issues)}`, {
    hint: "Write the options that the plugin takes, with {folder} or {id} in them.",
  });
}
