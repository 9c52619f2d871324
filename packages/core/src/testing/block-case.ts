import type { BlockCapability, BlockEntry, BlockFeatures, BlockReader } from "../source.ts";
import type { SourceBench, SuiteCase } from "./suite.ts";

/** A source with everything. A case uses only what it says it needs. */
export type AnyBlock = BlockReader & BlockFeatures;

export interface BlockBench extends SourceBench<AnyBlock> {
  /** What the options make exist. */
  readonly seed: ReadonlyMap<string, string>;
}

/** One promise of a source of text, and the capabilities that make it. */
export interface BlockCase extends SuiteCase<BlockBench> {
  readonly needs: readonly BlockCapability[];
}

export async function entriesOf(source: BlockReader, prefix: string): Promise<BlockEntry[]> {
  const found: BlockEntry[] = [];
  for await (const entry of source.list(prefix)) found.push(entry);
  return found;
}

/** The listed paths, without those that were there from the start. */
export async function pathsOf(source: BlockReader, prefix: string, bench?: BlockBench): Promise<string[]> {
  const entries = await entriesOf(source, prefix);
  return entries.map(({ path }) => path).filter((path) => bench?.seed.has(path) !== true);
}

export async function textOf(source: BlockReader, path: string): Promise<string | undefined> {
  return (await source.read(path))?.text;
}

/** How many of `works` came through, once all have ended. */
export async function winners<T>(
  works: readonly Promise<T>[],
): Promise<{ readonly won: readonly T[]; readonly lost: readonly unknown[] }> {
  const settled = await Promise.allSettled(works);
  return {
    won: settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    lost: settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : [])),
  };
}
