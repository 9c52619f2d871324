/** Lets one at a time work on a key, in the order of asking. */
export interface QueueByKey {
  /** Resolves when it is the caller's turn, which ends when the result is disposed. Contract: never rejects. */
  enter(key: string): Promise<Disposable>;
}

/** Contract: nothing is kept of a key on which nobody works. */
export function createQueueByKey(): QueueByKey {
  const last = new Map<string, Promise<void>>();
  return {
    async enter(key) {
      const before = last.get(key);
      let leave!: () => void;
      const left = new Promise<void>((resolve) => (leave = resolve));
      last.set(key, left);
      await before;
      return {
        [Symbol.dispose]() {
          if (last.get(key) === left) last.delete(key);
          leave();
        },
      };
    },
  };
}
