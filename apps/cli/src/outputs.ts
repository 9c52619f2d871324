import { existsSync } from "node:fs";
import { join } from "node:path";
import { requireCapability, type SourceManager } from "@ikigai/core";
import { makePrivateFolder } from "@ikigai/permission";
import { fileSource } from "@ikigai/source-file";

export const OUTPUT_MOUNT = "output";
const MAX_BYTES = 1 << 30;

/** Answers that were too long, as files under addresses that `file_read` takes. */
export interface Outputs {
  /** Makes what earlier calls left readable. Contract: creates nothing. */
  open(): Promise<void>;
  keep(callId: string, text: string): Promise<string>;
}

export function createOutputs(sources: () => SourceManager, stateDirectory: string): Outputs {
  const root = join(stateDirectory, "outputs");
  let mounted: Promise<void> | undefined;
  const mount = (): Promise<void> =>
    (mounted ??= sources().mount({
      mount: OUTPUT_MOUNT,
      source: fileSource,
      options: { root, maxBytes: MAX_BYTES, tool: false },
      permission: "read_only",
    }));

  return {
    async open() {
      if (existsSync(root)) await mount();
    },
    async keep(callId, text) {
      await makePrivateFolder(root);
      await mount();
      const route = sources().route(`${OUTPUT_MOUNT}:///${callId.replaceAll(/[^A-Za-z0-9-]/g, "_")}.txt`);
      await requireCapability(route, "write").write(route.address.path, text);
      return route.uri;
    },
  };
}
