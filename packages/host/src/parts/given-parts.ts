import { messageOf } from "@ikigai/core";
import { type AnyPart, type OpenedPart, withHint } from "@ikigai/core/host";
import type { PartConfig } from "../configuration/config.ts";
import { guarded, type Misdeeds } from "../plugins/guarded.ts";
import { isOurs, loadPlugin, type LoadOptions } from "../plugins/load-plugin.ts";
import { openFailure } from "../plugins/plugin-failure.ts";
import { assertNotOwnMount } from "../policy/own-mounts.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { partUnit } from "../trust/code-unit.ts";
import type { ChosenPart, PartFailure } from "./open-parts.ts";

/** A part that an application hands to its host, alone or with its options. */
export type GivenPart = AnyPart | readonly [part: AnyPart, options: unknown];

export interface LoadPartsOptions extends LoadOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  /** Judges what the workspace's own configuration names. */
  readonly runs?: CodeRuns;
}

const OPEN_WITHIN_MS = 30_000;

/** The parts that an application brought, which it answers for. */
export function givenParts(given: readonly GivenPart[]): readonly ChosenPart[] {
  return given.map((one) => {
    const [part, options] = "kind" in one ? [one] : one;
    return { part: withForeignMounts(part), use: part.name, ...(options !== undefined && { options }) };
  });
}

/** Loads the parts that the configuration names. Contract: one that cannot be loaded is named among the failures. */
export async function loadConfiguredParts(
  configured: readonly PartConfig[],
  { root, runs, ...limits }: LoadPartsOptions,
): Promise<{ readonly chosen: readonly ChosenPart[]; readonly failures: readonly PartFailure[] }> {
  const chosen: ChosenPart[] = [];
  const failures: PartFailure[] = [];
  for (const entry of configured) {
    const { use } = entry;
    try {
      const held = await runs?.check(partUnit(use, entry.from ?? root));
      chosen.push(await loadPartEntry(entry, root, { ...limits, ...(held !== undefined && { held }) }));
    } catch (error) {
      const { hint } = error as { hint?: string };
      failures.push({ part: use, use, error: withHint(messageOf(error), hint), cause: error });
    }
  }
  return { chosen, failures };
}

/** Contract: rejects with a failure that names stage, package and remedy. */
export async function loadPartEntry(
  { use, options, from = "", section }: PartConfig,
  root: string,
  limits: LoadOptions = {},
): Promise<ChosenPart> {
  const timeoutMs = limits.timeoutMs ?? OPEN_WITHIN_MS;
  const trial = { wanted: "part", root, options, timeoutMs } as const;
  const part = await loadPlugin("part", use, from || root, { ...limits, trial });
  return {
    part: isOurs(use) ? part : guardedPart(use, part, timeoutMs),
    use,
    ...(options !== undefined && { options }),
    ...(section !== undefined && { section }),
  };
}

/** A part whose opening can neither end the process nor print nor take for ever, and that mounts nothing under our names. */
function guardedPart(use: string, part: AnyPart, timeoutMs: number): AnyPart {
  const watched = withForeignMounts(part);
  return {
    ...part,
    async open(options, host) {
      const misdeeds: Misdeeds = { found: [] };
      let opening: Promise<OpenedPart> | undefined;
      let opened: OpenedPart;
      try {
        opened = await guarded(timeoutMs, misdeeds, () => (opening = watched.open(options, host)));
      } catch (cause) {
        // One that was only late is closed when it comes.
        opening?.then(
          (late) => late.close?.(),
          () => {},
        );
        throw openFailure(use, misdeeds, cause);
      }
      if (misdeeds.found.length === 0) return opened;
      await opened.close?.();
      throw openFailure(use, misdeeds, undefined);
    },
  };
}

/** Contract: a mount that has a name of ours is a `conflict`, and the part is closed. */
function withForeignMounts(part: AnyPart): AnyPart {
  return {
    ...part,
    async open(options, host) {
      const opened = await part.open(options, host);
      try {
        for (const { mount } of opened.mounts ?? []) assertNotOwnMount(mount);
        return opened;
      } catch (error) {
        await opened.close?.();
        throw error;
      }
    },
  };
}
