import { readdirSync, readFileSync, statSync } from "node:fs";
import { lockFolder } from "../lock/lock-folder.ts";
import { isContentionNote } from "./contention.ts";
import { isLockName, readLock } from "../lock/path-lock.ts";

/** The clock that the disk stamps files with may be this far behind ours. */
const CLOCK_SLACK_MS = 1_000;

/**
 * The paths below `root` whose names a save may have taken away for a moment since `since`.
 *
 * A walk over the folder that began at `since` can have missed them, and nothing else that was there all the time.
 * Contract: absolute paths, each once, whether there is a file or not; never throws. `root` is a real path.
 */
export function takenNames(root: string, since: number, folder: string = usualFolder()): string[] {
  const prefix = root.endsWith("/") ? root : `${root}/`;
  const paths = namesIn(folder).map((name) => {
    if (isLockName(name)) return quietly(() => readLock(`${folder}/${name}`)?.path);
    if (!isContentionNote(name)) return undefined;
    return quietly(() => {
      const note = `${folder}/${name}`;
      return statSync(note).mtimeMs < since - CLOCK_SLACK_MS ? undefined : readFileSync(note, "utf8");
    });
  });
  return [...new Set(paths)].filter((path) => path !== undefined).filter((path) => path.startsWith(prefix));
}

function usualFolder(): string {
  return quietly(() => lockFolder()) ?? "";
}

function namesIn(folder: string): string[] {
  return folder === "" ? [] : (quietly(() => readdirSync(folder)) ?? []);
}

function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
