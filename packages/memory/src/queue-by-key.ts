/** Runs work one at a time per key, in the order of asking. */
export type QueueByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Contract: a failure of one work does not touch the next; nothing is kept of a key whose work is done. */
export function createQueueByKey(): QueueByKey {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (tails.get(key) ?? Promise.resolve()).then(work, work);
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return result;
  };
}
