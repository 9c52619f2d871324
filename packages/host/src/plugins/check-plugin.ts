import { type TextCapability, type DataBlockDefinition, IkigaiError, messageOf } from "@ikigai/core";
import { type AnySourceDefinition, describeIssues } from "@ikigai/core/host";
import { createScratch } from "./scratch.ts";
import { takeSample } from "./sample.ts";

/** How one promise of the contract came out. */
export interface CheckedCase {
  readonly id: string;
  /** Why it does not hold. */
  readonly error?: string;
  /** Why nothing could be seen of it. With neither, it holds. */
  readonly unseen?: string;
}

export interface CheckRequest {
  readonly definition: AnySourceDefinition;
  /** The user's own options. */
  readonly options: unknown;
  /** Options of throwaway places, as text; see {@link createScratch}. */
  readonly scratch?: string;
  /** The address of the module that exports it, for the process that writes beside this one. */
  readonly module?: string;
  /** Milliseconds that a promise has to show itself. Default: the suite's own. */
  readonly timeoutMs?: number;
}

/**
 * Runs the conformance suite against a plugin.
 *
 * Contract: without `scratch` nothing is ever written: a source of text is checked by reading some of the documents it
 * holds, and the cases that change something are not run. With it, every case runs, each in a place of its own. A stream
 * that is quiet meanwhile breaks no promise: what only an event could show is `unseen`.
 */
export async function checkPlugin(request: CheckRequest): Promise<CheckedCase[]> {
  const { definition, options, scratch, module, timeoutMs } = request;
  const { testDataBlock, testDataStream } = await import("@ikigai/core/testing");
  const cases: { readonly id: string; readonly body: (context: unknown) => Promise<void> }[] = [];
  const test = (id: string, body: (context: unknown) => Promise<void>): void => void cases.push({ id, body });
  using places = scratch === undefined ? undefined : createScratch(scratch);
  if (places !== undefined) await assertFits(definition, places.next());
  const each = (): unknown => (places === undefined ? options : places.next());
  const common = { test, ...(timeoutMs !== undefined && { timeoutMs }) };
  if (definition.kind === "stream") testDataStream({ ...common, source: definition, options: each });
  else if (places !== undefined && (definition.capabilities as readonly string[]).includes("write")) {
    const source = definition as DataBlockDefinition<unknown, TextCapability>;
    testDataBlock({ ...common, source, options: each, ...(module !== undefined && { module }) });
  } else testDataBlock({ ...common, ...(await takeSample(definition, options, timeoutMs)), options: () => options });
  const check = async ({ id, body }: (typeof cases)[number]): Promise<CheckedCase> => {
    let unseen: string | undefined;
    const skip = (reason: string): void => void (unseen = reason);
    try {
      await body({ skip });
      return { id, ...(unseen !== undefined && { unseen }) };
    } catch (thrown) {
      return { id, error: messageOf(thrown) };
    }
  };
  // Cases of a stream mostly wait; one after the other they would wait a minute for a quiet stream.
  if (definition.kind === "stream") return Promise.all(cases.map(check));
  const checked: CheckedCase[] = [];
  for (const one of cases) checked.push(await check(one));
  return checked;
}

async function assertFits(definition: AnySourceDefinition, options: unknown): Promise<void> {
  const { issues } = await definition.options["~standard"].validate(options);
  if (issues === undefined) return;
  throw new IkigaiError("invalid_input", `The scratch options do not fit the plugin: ${describeIssues(issues)}`, {
    hint: "Write the options that the plugin takes, with {folder} or {id} in them.",
  });
}
