import { messageOf } from "@ikigai/core";

/** Counts what a store refuses while a file is taken in. */
export interface RefusalReport {
  readonly onRefused: (error: unknown) => void;
  /** Tells of it in one line. Contract: silent when nothing was refused. */
  report(): void;
}

/** Makes a report for each time that a file is taken in. */
export function createRefusalReport(
  warn: ((message: string) => void) | undefined,
): (what: string, path: string) => RefusalReport {
  const told = new Set<string>();
  return (what, path) => {
    let count = 0;
    let reason = "";
    return {
      onRefused(error) {
        if (count === 0) reason = messageOf(error);
        count += 1;
      },
      report() {
        if (count === 0 || told.has(path)) return;
        told.add(path);
        warn?.(`the store refused ${count} ${what}, which are set aside in ${path}.refused: ${reason}`);
      },
    };
  };
}
