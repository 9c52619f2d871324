const MEBIBYTE = 1024 * 1024;

/** Tells the operator that audit rows went because they were too many and no store took them in. */
export function tellOfDropped(warn: (message: string) => void): (bytes: number) => void {
  return (bytes) => {
    const size = Math.ceil(bytes / MEBIBYTE);
    warn(`the oldest ${size} MiB of audit rows that waited for a store were removed; ikigai audit takes in the others`);
  };
}

/** Tells the operator that journal entries went because there is no store and its file has no more room. */
export function tellOfDroppedJournal(warn: (message: string) => void): (bytes: number) => void {
  return (bytes) => {
    const size = Math.ceil(bytes / MEBIBYTE);
    warn(`the oldest ${size} MiB of the journal were removed, and what they hold can no longer be undone`);
  };
}
