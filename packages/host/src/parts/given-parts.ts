import { IkigaiError, messageOf } from "@ikigai/core";
import { type AnyPart, type OpenedPart, withHint } from "@ikigai/core/host";
import type { PartConfig } from "../configuration/config.ts";
import { guarded, type Misdeeds } from "../plugins/guarded.ts";
import { isOurs, loadPlugin, type LoadOptions } from "../plugins/load-plugin.ts";
import { openFailure } from "../plugins/plugin-failure.ts";
import { assertNotOwnMount } from "../policy/own-mounts.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { partUnit } from "../trust/code-unit.ts";
import type { ChosenPart, PartFailure } from "./open-parts.ts";
import { assertOpenedShape, assertPartShape, partNameOf } from "./part-shape.ts";

/** A part that an application hands to its host, alone or with its options. */
export type GivenPart = AnyPart | readonly [part: AnyPart, options: unknown];

export interface LoadPartsOptions extends LoadOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  /** Judges what the workspace's own configuration names. */
  readonly runs?: CodeRuns;
}

/** Milliseconds that a part of somebody else may take to open, unless the host says otherwise. */
const OPEN_WITHIN_MS = 30_000;

/** Parts that can be opened, and those that cannot even be tried. */
export interface LoadedParts {
  readonly chosen: readonly ChosenPart[];
  readonly failures: readonly PartFailure[];
}

/** The parts that an application brought, which it answers for. Contract: a value that is no part is among the failures. */
export function givenParts(given: readonly GivenPart[], timeoutMs: number = OPEN_WITHIN_MS): LoadedParts {
  const chosen: ChosenPart[] = [];
  const failures: PartFailure[] = [];
  for (const one of given) {
    const [part, options] = (Array.isArray(one) ? one : [one]) as readonly [part: AnyPart, options?: unknown];
    const use = partNameOf(part);
    try {
      assertPartShape(part);
      chosen.push({ part: limitedPart(part, timeoutMs), use, ...(options !== undefined && { options }) });
    } catch (error) {
      failures.push(failureOf(use, error));
    }
  }
  return { chosen, failures };
}

/** Loads the parts that the configuration names. Contract: one that cannot be loaded is named among the failures. */
export async function loadConfiguredParts(
  configured: readonly PartConfig[],
  { root, runs, ...limits }: LoadPartsOptions,
): Promise<LoadedParts> {
  const chosen: ChosenPart[] = [];
  const failures: PartFailure[] = [];
  for (const entry of configured) {
    const { use } = entry;
    try {
      const held = await runs?.check(partUnit(use, entry.from ?? root));
      chosen.push(await loadPartEntry(entry, root, { ...limits, ...(held !== undefined && { held }) }));
    } catch (error) {
      failures.push(failureOf(use, error));
    }
  }
  return { chosen, failures };
}

function failureOf(use: string, cause: unknown): PartFailure {
  const { hint } = cause as { hint?: string };
  return { part: use, use, error: withHint(messageOf(cause), hint), cause };
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
        if (opening !== undefined) closeWhenItComes(opening);
        throw openFailure(use, misdeeds, cause);
      }
      if (misdeeds.found.length === 0) return opened;
      await opened.close?.();
      throw openFailure(use, misdeeds, undefined);
    },
  };
}

/** A part whose opening cannot take for ever, and that mounts nothing under our names. */
function limitedPart(part: AnyPart, timeoutMs: number): AnyPart {
  const watched = withForeignMounts(part);
  return {
    ...part,
    async open(options, host) {
      const opening = watched.open(options, host);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          closeWhenItComes(opening);
          const message = `Part "${part.name}" did not open within ${timeoutMs} ms`;
          reject(new IkigaiError("timeout", message, { hint: "Let its open end, and do long work in follow." }));
        }, timeoutMs);
      });
      return Promise.race([opening, late]).finally(() => clearTimeout(timer));
    },
  };
}

/** Closes a part that was only late, once it is open. */
function closeWhenItComes(opening: Promise<OpenedPart>): void {
  opening.then((late) => late.close?.()).catch(() => {});
}

/**
 * Contract: `invalid_input` for what no host can use, and `conflict` for a mount that has a name of ours; the part is
 * closed then.
 */
function withForeignMounts(part: AnyPart): AnyPart {
  return {
    ...part,
    async open(options, host) {
      const opened = await part.open(options, host);
      try {
        for (const mount of mountNamesOf(opened)) assertNotOwnMount(mount);
        assertOpenedShape(part.name, opened);
        return opened;
      } catch (error) {
        const { close } = (opened as OpenedPart | undefined) ?? {};
        if (typeof close === "function") await close.call(opened);
        throw error;
      }
    },
  };
}

/** Names of mounts, as far as what a part gave has the shape of some. */
function mountNamesOf(opened: unknown): readonly string[] {
  const mounts: unknown = (opened as { readonly mounts?: unknown } | undefined)?.mounts;
  if (!Array.isArray(mounts)) return [];
  return mounts.flatMap((one: unknown) => (one as { readonly mount?: string } | undefined)?.mount ?? []);
}
