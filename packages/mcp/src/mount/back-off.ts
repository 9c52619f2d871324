export interface BackOffOptions {
  /** Milliseconds before the first attempt. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Milliseconds a thing must have run for its earlier deaths to be forgotten. */
  readonly stableMs: number;
  /** Milliseconds since some start. */
  readonly now: () => number;
}

/** How long to wait before trying again. */
export interface BackOff {
  started(): void;
  /** Contract: doubles from `firstMs` to `maxMs`, and starts over after a stable run. */
  died(): number;
}

export function createBackOff({ firstMs, maxMs, stableMs, now }: BackOffOptions): BackOff {
  let deaths = 0;
  let since: number | undefined;
  return {
    started() {
      since = now();
    },
    died() {
      if (since !== undefined && now() - since >= stableMs) deaths = 0;
      since = undefined;
      const wait = Math.min(firstMs * 2 ** deaths, maxMs);
      deaths++;
      return wait;
    },
  };
}
