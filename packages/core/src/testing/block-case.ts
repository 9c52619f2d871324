import { compareCodePoints } from "../address.ts";
import { IkigaiError } from "../errors.ts";
import type { TextCapability, TextEntry, TextFeatures, TextReader } from "../source/source.ts";
import type { OtherProcess } from "./other-process.ts";
import type { SourceBench, SuiteCase } from "./suite.ts";

/** A source with everything. A case uses only what it says it needs. */
export type AnyBlock = TextReader & TextFeatures;

/** Path to text; `undefined` for what shall not be there. */
export type Texts = Readonly<Record<string, string | undefined>>;

export interface BlockBench extends SourceBench<AnyBlock> {
  /** Paths and texts that exist because of the suite's options. */
  readonly seed: ReadonlyMap<string, string>;
  /** The path that stands for `name` in this case: itself, or one of those that the source describes. */
  readonly path: (name: string) => string;
  /** Puts texts into the storage by other means than the source. */
  readonly put: (texts: Texts) => Promise<void>;
  /** Opens the same storage in another process, which ends with the case. */
  readonly openElsewhere: () => Promise<OtherProcess>;
}

/** One promise of a source of text, and what makes it. */
export interface BlockCase extends SuiteCase<BlockBench> {
  readonly needs: readonly TextCapability[];
  /** Uses paths of many spellings, which a source that takes only some paths cannot hold. */
  readonly anyPath?: boolean;
}

export async function entriesOf(source: TextReader, prefix: string): Promise<TextEntry[]> {
  const found: TextEntry[] = [];
  for await (const entry of source.list(prefix)) found.push(entry);
  return found;
}

/** The listed paths, without those that were there from the start. */
export async function pathsOf(source: TextReader, prefix: string, bench?: BlockBench): Promise<string[]> {
  const entries = await entriesOf(source, prefix);
  return entries.map(({ path }) => path).filter((path) => bench?.seed.has(path) !== true);
}

export async function textOf(source: TextReader, path: string): Promise<string | undefined> {
  return (await source.read(path))?.text;
}

/**
 * The text at the path of a folder. Such a path holds nothing, which `undefined` says, and so does refusing it as a kind of
 * thing that cannot be read.
 */
export async function textAtFolder(source: TextReader, path: string): Promise<string | undefined> {
  try {
    return await textOf(source, path);
  } catch (error) {
    if (IkigaiError.is(error, "unsupported")) return undefined;
    throw error;
  }
}

/** What a list of `prefix` has to be when `paths` are there. */
export function listedOf(paths: Iterable<string>, prefix = ""): string[] {
  return [...paths].filter((path) => path.startsWith(prefix)).toSorted(compareCodePoints);
}

/** Counts how many of `works` succeeded, once all have ended. */
export async function winners<T>(
  works: readonly Promise<T>[],
): Promise<{ readonly won: readonly T[]; readonly lost: readonly unknown[] }> {
  const settled = await Promise.allSettled(works);
  return {
    won: settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    lost: settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : [])),
  };
}
