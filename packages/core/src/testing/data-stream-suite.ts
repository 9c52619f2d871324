import { type DataStream, type DataStreamDefinition, SOURCE_CONTRACT } from "../source/source.ts";
import { replayCases, type StreamBench, streamCases } from "./stream-cases.ts";
import { definitionCases, registerCases, type SuiteOptions, TIMEOUT_MS } from "./suite.ts";

export interface DataStreamSuite<Options> extends SuiteOptions {
  readonly source: DataStreamDefinition<Options>;
  /**
   * Makes at least `count` events happen in what `options` name. Leave it out for a source that makes them by itself;
   * when it then makes too few while a case waits, the case is skipped, since a quiet stream breaks no promise.
   *
   * Contract: called again while too few arrive, since a reader may need a moment to listen.
   */
  readonly provoke?: (options: never, count: number) => unknown;
}

/**
 * Proves a source of events: registers one test for every promise that its capabilities make.
 *
 * Contract: the capabilities alone decide the cases, and none can be switched off; ids are permanent.
 */
export function testDataStream<Options>(suite: DataStreamSuite<Options>): void {
  const { source } = suite;
  const cases = [
    ...definitionCases("stream", source, SOURCE_CONTRACT),
    ...streamCases,
    ...(source.capabilities.includes("replay") ? replayCases : []),
  ];
  const { provoke, timeoutMs = TIMEOUT_MS } = suite;
  registerCases<DataStream, StreamBench>(suite, cases, (bench) => ({
    ...bench,
    seen: { most: 0 },
    // A quiet stream is noticed before the case's own time is over.
    quietAt: Date.now() + timeoutMs * 0.8,
    ...(provoke !== undefined && {
      provoke: async (count: number) => void (await provoke(bench.options as never, count)),
    }),
  }));
}
