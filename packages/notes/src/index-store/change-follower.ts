import type { TextChange } from "@ikigai/core";

export interface ChangeFollowerOptions {
  /** Takes one changed path over. */
  readonly one: (path: string) => Promise<void>;
  /** Looks at everything again; cheaper than one by one when a whole branch was checked out. */
  readonly all: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Number of changes at once beyond which the whole mount is looked at instead. */
const MANY = 200;

/**
 * Takes changes over in the order in which they come; those that come meanwhile are taken together, each path once.
 *
 * Contract: resolves when the changes end, with nothing under way; what fails is told and the next one taken.
 */
export async function followChanges(
  changes: AsyncIterable<TextChange>,
  { one, all, onError, signal }: ChangeFollowerOptions,
): Promise<void> {
  const waiting = new Set<string>();
  let working: Promise<void> | undefined;

  async function takeOver(): Promise<void> {
    while (waiting.size > 0 && !signal.aborted) {
      const paths = [...waiting];
      waiting.clear();
      if (paths.length > MANY) await all().catch(tell);
      else for (const path of paths) await one(path).catch(tell);
    }
    working = undefined;
  }

  function tell(error: unknown): void {
    if (!signal.aborted) onError(error);
  }

  try {
    for await (const { path } of changes) {
      waiting.add(path);
      working ??= takeOver();
    }
  } catch (error) {
    tell(error);
  }
  await working;
}
