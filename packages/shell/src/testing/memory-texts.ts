import { createHash } from "node:crypto";
import { type DataBlockDefinition, defineDataBlock, IkigaiError, type MemoryPermission } from "@ikigai/core";
import * as z from "zod";

/** Texts in a map, with versions by content. Enough of a source to test tools with. */
export function memoryTexts(
  texts: Map<string, string>,
  permission: MemoryPermission = "admin",
): DataBlockDefinition<unknown, "write" | "remove"> {
  return defineDataBlock({
    name: "memory-texts",
    capabilities: ["write", "remove"],
    options: z.unknown(),
    open: async () => ({
      permission: () => permission,
      async read(path) {
        const text = texts.get(path);
        return text === undefined ? undefined : { text, version: versionOf(text) };
      },
      async *list(prefix) {
        for (const path of [...texts.keys()].toSorted()) if (path.startsWith(prefix)) yield { path };
      },
      async write(path, text, { expected } = {}) {
        const present = texts.get(path);
        if (expected !== undefined && expected !== (present === undefined ? null : versionOf(present))) {
          throw new IkigaiError("conflict", `${path} changed`);
        }
        texts.set(path, text);
        return { text, version: versionOf(text) };
      },
      async remove(path) {
        if (!texts.delete(path)) throw new IkigaiError("not_found", path);
      },
    }),
  });
}

export function versionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
