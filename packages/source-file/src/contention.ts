/** Remembers which files somebody else has been writing lately. */
export interface Contention {
  /** Notes the version that was found or written; another one than the last means that somebody else wrote. */
  saw(path: string, version: string): void;
  wrote(path: string, version: string): void;
  /** A save met another one. */
  met(path: string): void;
  recent(path: string): boolean;
}

const REMEMBER_MS = 60_000;
const MAX_PATHS = 10_000;

export function createContention(now: () => number = Date.now): Contention {
  const versions = new Map<string, string>();
  const until = new Map<string, number>();

  return {
    saw(path, version) {
      if ((versions.get(path) ?? version) !== version) remember(until, path, now() + REMEMBER_MS);
      remember(versions, path, version);
    },
    wrote: (path, version) => remember(versions, path, version),
    met: (path) => remember(until, path, now() + REMEMBER_MS),
    recent: (path) => (until.get(path) ?? 0) > now(),
  };
}

/** Keeps the latest; the oldest makes room. */
function remember<Value>(map: Map<string, Value>, path: string, value: Value): void {
  map.delete(path);
  map.set(path, value);
  const [oldest] = map.keys();
  if (map.size > MAX_PATHS && oldest !== undefined) map.delete(oldest);
}
