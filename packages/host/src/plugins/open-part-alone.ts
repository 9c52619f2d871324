import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnyPart,
  createSeenVersions,
  createSourceManager,
  createToolRegistry,
  type PartHost,
} from "@ikigai/core/host";

/**
 * Opens a part with nothing around it and closes it again, in a process that is there for nothing else.
 *
 * Contract: one that needs services, or whose options are wrong, is not opened: the host says why. Throws what its code
 * throws.
 */
export async function openPartAlone(part: AnyPart, given: unknown, root: string): Promise<void> {
  if ((part.needs ?? []).length > 0) return;
  const checked = await part.options["~standard"].validate(given);
  if (checked.issues !== undefined) return;
  const stateDirectory = await mkdtemp(join(tmpdir(), "ikigai-trial-"));
  const stopping = new AbortController();
  const registry = createToolRegistry();
  const sources = createSourceManager({ registry });
  const host: PartHost = {
    agent: "default",
    root,
    stateDirectory,
    sources,
    seen: createSeenVersions(),
    services: {},
    signal: stopping.signal,
    register: (tools) => registry.register(tools),
    onTextChange: () => ({ [Symbol.dispose]: () => {} }),
    shorten: (tool) => tool,
    warn: () => {},
  };
  try {
    const opened = await part.open(checked.value, host);
    stopping.abort();
    await opened.close?.();
  } finally {
    stopping.abort();
    await sources.close();
    await rm(stateDirectory, { recursive: true, force: true });
  }
}
