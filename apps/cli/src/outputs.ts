import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { requireCapability, type SourceManager } from "@ikigai/core";
import type { KeptPart } from "@ikigai/mcp";
import { makePrivateFolder } from "@ikigai/permission";
import { fileSource } from "@ikigai/source-file";
import { OUTPUT_MOUNT } from "./own-mounts.ts";

const MAX_BYTES = 1 << 30;

/** Answers that were too long, as files under addresses that `file_read` takes. */
export interface Outputs {
  /** Makes what earlier calls left readable. Contract: creates nothing. */
  open(): Promise<void>;
  keep(callId: string, text: string): Promise<string>;
  /** Keeps a part of an answer that is not text, such as a picture. Contract: private to the user. */
  keepPart(part: Pick<KeptPart, "callId" | "part" | "mimeType" | "bytes">): Promise<string>;
}

/** How the name of a file ends, by its kind. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
};

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

  const nameOf = (callId: string): string => callId.replaceAll(/[^A-Za-z0-9-]/g, "_");

  return {
    async keepPart({ callId, part, mimeType, bytes }) {
      await makePrivateFolder(root);
      await mount();
      const name = `${nameOf(callId)}-${part}.${ENDINGS[mimeType] ?? "bin"}`;
      await writeFile(join(root, name), bytes, { mode: 0o600 });
      return `${OUTPUT_MOUNT}:///${name}`;
    },
    async open() {
      if (existsSync(root)) await mount();
    },
    async keep(callId, text) {
      await makePrivateFolder(root);
      await mount();
      const route = sources().route(`${OUTPUT_MOUNT}:///${nameOf(callId)}.txt`);
      await requireCapability(route, "write").write(route.address.path, text);
      return route.uri;
    },
  };
}
