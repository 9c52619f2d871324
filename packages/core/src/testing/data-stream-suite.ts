import { type DataStream, type DataStreamDefinition, SOURCE_CONTRACT } from "../source.ts";
import { replayCases, type StreamBench, streamCases } from "./stream-cases.ts";
import { definitionCases, registerCases, type SuiteOptions } from "./suite.ts";

export interface DataStreamSuite<Options> extends SuiteOptions {
  readonly source: DataStreamDefinition<Options>;
  /**
   * Makes at least `count` events happen in what `options` name. Leave it out for a source that makes them by itself.
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
  registerCases<DataStream, StreamBench>(suite, cases, (bench) => ({
    ...bench,
    provoke: async (count) => void (await suite.provoke?.(bench.options as never, count)),
  }));
}
