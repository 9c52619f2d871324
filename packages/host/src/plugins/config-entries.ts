import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { CONFIG_FILE, readConfig, type SourceConfig } from "../configuration/config.ts";

/** Adds an entry to a folder's configuration. Contract: all other content stays; a taken mount is a `conflict`. */
export async function addEntry(folder: string, entry: SourceConfig): Promise<void> {
  await change(folder, (sources) => {
    if (sources.some(({ mount }) => mount === entry.mount)) {
      throw new IkigaiError("conflict", `"${entry.mount}" is configured already`, {
        hint: "Choose another name with --mount, or remove it first.",
      });
    }
    return [...sources, entry];
  });
}

/** Takes an entry out. Contract: `not_found` names the mounts that there are. */
export async function removeEntry(folder: string, mount: string): Promise<void> {
  await change(folder, (sources) => {
    const rest = sources.filter((source) => source.mount !== mount);
    if (rest.length < sources.length) return rest;
    const names = sources.map((source) => source.mount).join(", ");
    throw new IkigaiError("not_found", `No plugin is configured as "${mount}"`, {
      hint: names === "" ? `${CONFIG_FILE} names none.` : `Configured are: ${names}.`,
    });
  });
}

async function change(folder: string, edit: (sources: readonly SourceConfig[]) => SourceConfig[]): Promise<void> {
  const { config: present, fault, bytes } = await readConfig(folder);
  if (fault !== undefined) throw fault;
  const edited = edit(present.sources ?? []);
  const file = join(folder, CONFIG_FILE);
  const text = bytes?.toString("utf8") ?? "{}\n";
  const config = { ...(JSON.parse(text) as Record<string, unknown>), sources: edited };
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const beside = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(beside, `${JSON.stringify(config, undefined, indent)}\n`, { flag: "wx" });
    await rename(beside, file);
  } finally {
    await rm(beside, { force: true });
  }
}
