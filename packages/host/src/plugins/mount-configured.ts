import { type IkigaiError, messageOf } from "@ikigai/core";
import { type AnySourceDefinition, type MountRequest, type SourceManager, withHint } from "@ikigai/core/host";
import { fileSource } from "@ikigai/source-file";
import type { SourceConfig } from "../configuration/config.ts";
import { assertNotOwnMount } from "../policy/own-mounts.ts";
import { loadPlugin, type LoadOptions } from "./load-plugin.ts";
import { guarded, type Misdeeds } from "./guarded.ts";
import { openFailure } from "./plugin-failure.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { pluginUnit } from "../trust/code-unit.ts";

/** A configured source that could not be mounted, and why. */
export interface MountFailure {
  readonly mount: string;
  readonly error: string;
}

const OPEN_WITHIN_MS = 30_000;

/** Contract: one that cannot be mounted is named and left out; the rest is mounted. */
export async function mountConfigured(
  sources: SourceManager,
  configured: readonly SourceConfig[],
  root: string,
  limits: LoadOptions = {},
  runs?: CodeRuns,
): Promise<MountFailure[]> {
  const failures: MountFailure[] = [];
  for (const entry of configured) {
    try {
      const held = await runs?.check(pluginUnit(entry.use, entry.mount, entry.from ?? root));
      await mountOne(sources, entry, root, { ...limits, ...(held !== undefined && { held }) });
    } catch (error) {
      const { hint } = error as { hint?: string };
      failures.push({ mount: entry.mount, error: withHint(messageOf(error), hint) });
    }
  }
  return failures;
}

/**
 * Mounts one source of the configuration, and gives its definition.
 *
 * Contract: rejects with a failure that names stage, package and remedy, and then nothing of it stays mounted.
 */
export async function mountOne(
  sources: SourceManager,
  { use, mount, options, permission, from }: SourceConfig,
  root: string,
  limits: LoadOptions = {},
): Promise<AnySourceDefinition> {
  assertNotOwnMount(mount);
  const timeoutMs = limits.timeoutMs ?? OPEN_WITHIN_MS;
  const trial = { wanted: "source", mount, options, timeoutMs } as const;
  const source = await loadPlugin("source", use, from ?? root, { ...limits, trial });
  // The workspace has the file tool; further folders are reached by address.
  const given = source.name === fileSource.name ? { tool: false, ...options } : options;
  const request = { mount, source, options: given, ...(permission !== undefined && { permission }) };
  await openPlugin(sources, use, request, timeoutMs);
  return source;
}

/** Contract: rejects with a failure at `open`, and then nothing of the plugin stays mounted. */
async function openPlugin(
  sources: SourceManager,
  use: string,
  request: MountRequest,
  timeoutMs: number,
): Promise<void> {
  const misdeeds: Misdeeds = { found: [] };
  let mounting: Promise<void> | undefined;
  const failed = (cause: unknown): IkigaiError => openFailure(use, misdeeds, cause);
  try {
    await guarded(timeoutMs, misdeeds, () => (mounting = sources.mount(request)));
  } catch (cause) {
    // A source that was only late is unmounted again when it comes.
    mounting?.then(
      () => sources.unmount(request.mount),
      () => {},
    );
    throw failed(cause);
  }
  if (misdeeds.found.length === 0) return;
  await sources.unmount(request.mount);
  throw failed(undefined);
}
