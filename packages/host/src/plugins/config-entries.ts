import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { type Config, CONFIG_FILE, type PartConfig, readConfig, type SourceConfig } from "../configuration/config.ts";

/** Adds a source to a folder's configuration. Contract: all other content stays; a taken mount is a `conflict`. */
export async function addEntry(folder: string, entry: SourceConfig): Promise<void> {
  await change(folder, ({ sources = [] }) => {
    if (sources.some(({ mount }) => mount === entry.mount)) {
      throw new IkigaiError("conflict", `"${entry.mount}" is configured already`, {
        hint: "Choose another name with --mount, or remove it first.",
      });
    }
    return { sources: [...sources, entry] };
  });
}

/** Adds a part to a folder's configuration. Contract: all other content stays; one that is there is a `conflict`. */
export async function addPartEntry(folder: string, entry: PartConfig): Promise<void> {
  await change(folder, ({ parts = [] }) => {
    if (parts.some(({ use }) => use === entry.use)) {
      throw new IkigaiError("conflict", `The part "${entry.use}" is configured already`, { hint: "Remove it first." });
    }
    return { parts: [...parts, entry] };
  });
}

/** Takes an entry out: a source by its mount, a part by its package or file. Contract: `not_found` names what there is. */
export async function removeEntry(folder: string, name: string): Promise<void> {
  await change(folder, ({ sources = [], parts = [] }) => {
    const rest = sources.filter(({ mount }) => mount !== name);
    if (rest.length < sources.length) return { sources: rest };
    const others = parts.filter(({ use }) => use !== name);
    if (others.length < parts.length) return { parts: others };
    const names = [...sources.map(({ mount }) => mount), ...parts.map(({ use }) => use)].join(", ");
    throw new IkigaiError("not_found", `No plugin is configured as "${name}"`, {
      hint: names === "" ? `${CONFIG_FILE} names none.` : `Configured are: ${names}.`,
    });
  });
}

async function change(folder: string, edit: (present: Config) => Pick<Config, "sources" | "parts">): Promise<void> {
  const { config: present, fault, bytes } = await readConfig(folder);
  if (fault !== undefined) throw fault;
  const edited = edit(present);
  const file = join(folder, CONFIG_FILE);
  const text = bytes?.toString("utf8") ?? "{}\n";
  const config = { ...(JSON.parse(text) as Record<string, unknown>), ...edited };
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const beside = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(beside, `${JSON.stringify(config, undefined, indent)}\n`, { flag: "wx" });
    await rename(beside, file);
  } finally {
    await rm(beside, { force: true });
  }
}
