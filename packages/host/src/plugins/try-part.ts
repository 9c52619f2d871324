import { IkigaiError, messageOf } from "@ikigai/core";
import type { AnyPart } from "@ikigai/core/host";
import type { PartConfig } from "../configuration/config.ts";
import { loadPartEntry } from "../parts/given-parts.ts";
import type { CheckedCase } from "./check-plugin.ts";
import type { LoadOptions } from "./load-plugin.ts";

/** What can be said of a part that was tried. */
export interface TriedPart {
  readonly part: AnyPart;
  /** Services that only a whole host has, so that it was loaded and not opened. */
  readonly needs: readonly string[];
}

/**
 * Loads a part as a session would, opens it in a host that has nothing but a workspace in memory, and closes it again.
 *
 * Contract: rejects with a failure that names stage, package and remedy; nothing stays open. One that needs services of
 * other parts is loaded and not opened.
 */
export async function tryPart(entry: PartConfig, root: string, limits: LoadOptions = {}): Promise<TriedPart> {
  const { part, options, section } = await loadPartEntry(entry, root, limits);
  const needs = part.needs ?? [];
  if (needs.length > 0) return { part, needs };
  const { openAlone } = await import("../testing/part-bench.ts");
  const [failure] = await openAlone({ part, options, section: section ?? part.name });
  if (failure === undefined) return { part, needs };
  if (IkigaiError.is(failure.cause)) throw failure.cause;
  throw new IkigaiError("unavailable", `Part "${entry.use}" was left out: ${failure.error}`, { cause: failure.cause });
}

/** Runs the suite for parts against one of the configuration. Contract: every case has a host of its own, in memory. */
export async function checkPart(part: AnyPart, options: unknown): Promise<CheckedCase[]> {
  const { testPart } = await import("../testing/test-part.ts");
  const cases: { readonly id: string; readonly body: (context: unknown) => Promise<void> }[] = [];
  testPart({
    test: (id, body) => void cases.push({ id, body }),
    part,
    ...(options !== undefined && { options: () => options }),
  });
  const checked: CheckedCase[] = [];
  for (const { id, body } of cases) {
    let unseen: string | undefined;
    try {
      await body({ skip: (reason: string) => void (unseen = reason) });
      checked.push({ id, ...(unseen !== undefined && { unseen }) });
    } catch (error) {
      checked.push({ id, error: messageOf(error) });
    }
  }
  return checked;
}
