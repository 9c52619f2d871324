import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { TextContent, DataBlockDefinition } from "@ikigai/core";
import { compareCodePoints, defineDataBlock, IkigaiError } from "@ikigai/core";
import { z } from "zod";

/** Keeps every block in one JSON file, which several processes may share. */
export const jsonSource: DataBlockDefinition<{ file: string }, "write" | "remove"> = defineDataBlock({
  name: "json",
  capabilities: ["write", "remove"],
  options: z.object({ file: z.string() }),

  async open({ file }) {
    const change = async (path: string, text: string | undefined, expected?: string | null, signal?: AbortSignal) => {
      await lock(`${file}.lock`, signal);
      try {
        const blocks = await load(file);
        const version = blocks.get(path)?.version ?? null;
        if (text === undefined && version === null) throw new IkigaiError("not_found", `There is no "${path}"`);
        if (expected !== undefined && expected !== version) throw new IkigaiError("conflict", `Read "${path}" again`);
        blocks.delete(path);
        if (text !== undefined) blocks.set(path, content(text));
        await writeFile(`${file}.new`, JSON.stringify(Array.from(blocks, ([key, block]) => [key, block.text])));
        await rename(`${file}.new`, file);
      } finally {
        await rm(`${file}.lock`);
      }
    };
    return {
      read: async (path) => (await load(file)).get(path),
      async *list(prefix) {
        const paths = [...(await load(file)).keys()].toSorted(compareCodePoints);
        yield* paths.filter((path) => path.startsWith(prefix)).map((path) => ({ path }));
      },
      write: (path, text, o) => change(path, text, o?.expected, o?.signal).then(() => content(text)),
      remove: (path, o) => change(path, undefined, o?.expected, o?.signal),
    };
  },
});

async function load(file: string): Promise<Map<string, TextContent>> {
  const json = await readFile(file, "utf8").catch((e) => (e.code === "ENOENT" ? "[]" : Promise.reject(e)));
  return new Map((JSON.parse(json) as [string, string][]).map(([path, text]) => [path, content(text)]));
}

/** Only one process can create the file, so only one writes. */
async function lock(file: string, signal?: AbortSignal): Promise<void> {
  for (let left = 2_000; ; await delay(5)) {
    signal?.throwIfAborted();
    const error = await writeFile(file, "", { flag: "wx" }).catch((e: NodeJS.ErrnoException) => e);
    if (error === undefined) return;
    if (error.code !== "EEXIST") throw error;
    if (left-- === 0) throw new IkigaiError("unavailable", `${file} is held`, { hint: "Remove it if nobody writes." });
  }
}

const content = (text: string): TextContent => ({ text, version: createHash("sha256").update(text).digest("hex") });
