import { messageOf, type SourceManager } from "@ikigai/core";
import { fileSource } from "@ikigai/source-file";
import type { SourceConfig } from "./config.ts";
import { loadPlugin } from "./load-plugin.ts";

/** A configured source that could not be mounted, and why. */
export interface MountFailure {
  readonly mount: string;
  readonly error: string;
}

/** Contract: one that cannot be mounted is named and left out; the rest is mounted. */
export async function mountConfigured(
  sources: SourceManager,
  configured: readonly SourceConfig[],
  root: string,
): Promise<MountFailure[]> {
  const failures: MountFailure[] = [];
  for (const { use, mount, options, permission } of configured) {
    try {
      const source = await loadPlugin(use, root);
      // The workspace has the file tool; further folders are reached by address.
      const given = source.name === fileSource.name ? { tool: false, ...options } : options;
      await sources.mount({ mount, source, options: given, ...(permission !== undefined && { permission }) });
    } catch (error) {
      const { hint } = error as { hint?: string };
      failures.push({ mount, error: `${messageOf(error)}${hint === undefined ? "" : `. ${hint}`}` });
    }
  }
  return failures;
}
