import { IkigaiError, messageOf, type TextReader } from "@ikigai/core";

export type ListsAndReads = Pick<TextReader, "list" | "read">;

export interface SilentMountsOptions {
  /** The texts of a mount, by a reader that rejects with `timeout` when the mount does not answer. */
  readonly readerOf: (mount: string) => ListsAndReads;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** Called when a mount that was left out answers again. */
  readonly onAnswer: () => void;
}

/** The mounts that did not answer: they are left out of lists, so that a call need not wait for them again. */
export interface SilentMounts {
  /** Whether a mount is left out. Contract: one that is due is tried again beside the call, which does not wait for it. */
  isLeftOut(mount: string): boolean;
  answered(mount: string): void;
  /**
   * Reports a mount that cannot be listed: one that is down, or never answers, must not take the others with it.
   *
   * Contract: throws an error that is neither `timeout` nor `unavailable`.
   */
  leaveOut(mount: string, error: unknown): void;
}

/** A mount that did not answer is not waited for again before. */
const RETRY_AFTER_MS = 30_000;

export function createSilentMounts({ readerOf, now, warn, onAnswer }: SilentMountsOptions): SilentMounts {
  /** When each mount that did not answer was given up. */
  const silentSince = new Map<string, number>();

  async function tryAgain(mount: string): Promise<void> {
    try {
      for await (const _ of readerOf(mount).list("")) break;
      silentSince.delete(mount);
      onAnswer();
    } catch {
      // The mount stays left out until it is due to be tried again.
    }
  }

  return {
    isLeftOut(mount) {
      const since = silentSince.get(mount);
      if (since === undefined) return false;
      if (now() - since >= RETRY_AFTER_MS) {
        silentSince.set(mount, now());
        void tryAgain(mount);
      }
      return true;
    },
    answered: (mount) => void silentSince.delete(mount),
    leaveOut(mount, error) {
      const isTold = silentSince.has(mount);
      if (IkigaiError.is(error, "timeout")) silentSince.set(mount, now());
      else if (!IkigaiError.is(error, "unavailable")) throw error;
      if (isTold) return;
      warn(`${mount} is left out of the list of resources: ${messageOf(error)}`);
    },
  };
}
