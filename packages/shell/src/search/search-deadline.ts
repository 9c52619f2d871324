/** A search that may be cut short: what it found by then counts. */
export interface SearchEnd {
  readonly signal: AbortSignal;
  /** Contract: resolves to whether `work` came to its end; rejects when the caller gave up or it failed. */
  run(work: Promise<void>): Promise<boolean>;
}

export function endSearchAfter(ms: number, caller: AbortSignal): SearchEnd {
  const time = AbortSignal.timeout(ms);
  return {
    signal: AbortSignal.any([caller, time]),
    async run(work) {
      try {
        await work;
        return true;
      } catch (error) {
        if (caller.aborted || !time.aborted) throw error;
        return false;
      }
    },
  };
}
