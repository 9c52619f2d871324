import { IkigaiError } from "@ikigai/core";
import { type AnySourceDefinition, createSourceManager, createToolRegistry, isMountName } from "@ikigai/core/host";
import type { SourceConfig } from "../configuration/config.ts";
import type { LoadOptions } from "./load-plugin.ts";
import { mountOne } from "./mount-configured.ts";
import { assertNotOwnMount } from "../policy/own-mounts.ts";

/** Contract: `invalid_input` for what is no name of a mount, `conflict` for a name that is in use. */
export function assertFreeMount(mount: string, others: readonly string[] = []): void {
  if (!isMountName(mount)) {
    throw new IkigaiError("invalid_input", `"${mount}" is not the name of a mount`, {
      hint: "Choose up to 32 lower-case letters, digits and hyphens, a letter first, with --mount NAME.",
    });
  }
  const hint = "Choose another name with --mount, or remove it first.";
  if (others.includes(mount)) throw new IkigaiError("conflict", `"${mount}" is configured already`, { hint });
  assertNotOwnMount(mount);
}

/**
 * Mounts a source as a session would, unmounts it again, and gives its definition.
 *
 * Contract: rejects with a failure that names stage, package and remedy; nothing stays open.
 */
export async function tryPlugin(
  entry: SourceConfig,
  root: string,
  limits: LoadOptions = {},
): Promise<AnySourceDefinition> {
  const sources = createSourceManager({ registry: createToolRegistry() });
  try {
    return await mountOne(sources, entry, root, limits);
  } finally {
    await sources.close();
  }
}
