// Saves with the write-file-atomic of a folder, in a process of its own Node: `node atomic-child.js FOLDER`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createFlip } from "./data.ts";

const { load } = (await import(pathToFileURL(join(process.argv[2] ?? "", "load.mjs")).href)) as {
  load(name: string): Promise<{ default: (path: string, text: string) => Promise<void> }>;
};
const { default: save } = await load("write-file-atomic");
const flips = new Map<number, ReturnType<typeof createFlip>>();

process.on("message", ({ path, size }: { path: string; size: number }) => {
  const flip = flips.get(size) ?? createFlip(size);
  flips.set(size, flip);
  flip.flip();
  const started = performance.now();
  save(path, flip.text()).then(
    () => process.send?.({ took: (performance.now() - started) * 1_000 }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ took: 0 });
