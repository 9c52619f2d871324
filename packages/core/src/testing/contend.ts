import { IkigaiError } from "../errors.ts";
import type { TextFeatures, TextReader } from "../source/source.ts";

type Writable = TextReader & TextFeatures;

/** What one contender does while others do the same. Each is told apart by what it was acknowledged. */
export const CONTESTS = {
  /** Adds one to the number at `path`, `times` over, starting again whenever somebody else was faster. */
  async count(source: Writable, path: string, times: number, started: () => void = () => {}): Promise<number> {
    for (let done = 0; done < times;) {
      const seen = await source.read(path);
      const next = String(Number(seen?.text ?? 0) + 1);
      if (await cameThrough(source.write(path, next, { expected: seen?.version ?? null }))) done++;
      if (done === 1) started();
    }
    return times;
  },
  /** Creates each of `paths`; resolves to those where it was the first. */
  async create(
    source: Writable,
    paths: readonly string[],
    by: string,
    started: () => void = () => {},
  ): Promise<string[]> {
    const won: string[] = [];
    for (const path of paths) {
      if (await cameThrough(source.write(path, `by ${by}`, { expected: null }))) won.push(path);
      started();
    }
    return won;
  },
  /** Removes each of `paths` at the version given; resolves to those where it was the first. */
  async remove(
    source: Writable,
    versions: Readonly<Record<string, string>>,
    _by: string,
    started: () => void = () => {},
  ): Promise<string[]> {
    const won: string[] = [];
    for (const [path, expected] of Object.entries(versions)) {
      if (await cameThrough(source.remove(path, { expected }))) won.push(path);
      started();
    }
    return won;
  },
} as const;

async function cameThrough(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (IkigaiError.is(error, "conflict") || IkigaiError.is(error, "not_found")) return false;
    throw error;
  }
}
