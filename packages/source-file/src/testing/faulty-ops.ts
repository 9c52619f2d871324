import { type FileOps, fileOps } from "../file-ops.ts";
import { currentOwner, type Owner } from "../lock/owner.ts";

export interface FaultyOps {
  readonly ops: FileOps;
  /** The names of the calls so far. */
  readonly calls: string[];
}

/** Decides what happens instead of call number `index` (from 0), or lets it happen. */
export type Fault = (name: string, index: number, args: readonly unknown[]) => Error | undefined;

/** The system's calls, counted, any of which can be made to fail. */
export function faultyOps(fault: Fault): FaultyOps {
  const calls: string[] = [];
  const ops = Object.fromEntries(
    Object.entries(fileOps).map(([name, call]) => {
      const real = call as (...args: unknown[]) => unknown;
      const replaced = (...args: unknown[]): unknown => {
        const error = fault(name, calls.length, args);
        calls.push(name);
        if (error === undefined) return real(...args);
        // The system closes what a dead process had open.
        if (name.startsWith("close")) return (real(...args) as Promise<void>).then(() => Promise.reject(error));
        if (name.endsWith("Sync")) throw error;
        return Promise.reject(error);
      };
      return [name, replaced];
    }),
  );
  return { ops: ops as unknown as FileOps, calls };
}

/** As if the process were killed at call number `at`: that call and all later ones never happen. */
export function killedAt(at: number): Fault {
  return (_name, index) => (index >= at ? new Error("killed") : undefined);
}

/** Call number `at` fails once, with `errno`. */
export function failingAt(at: number, errno: string): Fault {
  return (_name, index) => (index === at ? Object.assign(new Error(errno), { code: errno }) : undefined);
}

/** A process of this machine that has died. Its number is larger than any that Linux gives out. */
export function deadOwner(): Owner {
  return { pid: 2 ** 22 + 1, start: "1", place: currentOwner().place };
}
