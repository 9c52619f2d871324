import type { SourceManager } from "@ikigai/core/host";
import type { Config } from "../configuration/config.ts";
import type { HostOptions } from "../host.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import type { MountFailure } from "./mount-configured.ts";

export interface ConfiguredSources {
  readonly root: string;
  readonly config: Pick<Config, "sources">;
  readonly runs: CodeRuns;
  readonly options: Pick<HostOptions, "beforeImport">;
  readonly warn: (message: string) => void;
}

/** Mounts what the configuration names. Contract: loads nothing when it names nothing; what is left out is told. */
export async function mountAllConfigured(
  sources: SourceManager,
  { root, config, runs, options: { beforeImport }, warn }: ConfiguredSources,
): Promise<readonly MountFailure[]> {
  if (config.sources === undefined) return [];
  const { mountConfigured } = await import("./mount-configured.ts");
  const limits = beforeImport === undefined ? {} : { beforeImport };
  const failures = await mountConfigured(sources, config.sources, root, limits, runs);
  for (const { mount, error } of failures) warn(`source "${mount}" was left out: ${error}`);
  return failures;
}
