import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PluginKind, PluginNames } from "./names.ts";
import { coreVersion, VERSIONS } from "./versions.ts";

/** What a plugin is made from. */
export interface PluginPlan {
  readonly kind: PluginKind;
  readonly names: PluginNames;
  readonly description: string;
  /** The folder that it is written to. */
  readonly directory: string;
}

const TEMPLATES = fileURLToPath(new URL("../templates", import.meta.url));
const ENDING = ".tmpl";

/** Writes the files of a new plugin. Contract: rejects, and writes nothing, when the folder holds anything already. */
export async function writePlugin(plan: PluginPlan): Promise<string[]> {
  const { directory, kind } = plan;
  await mkdir(directory, { recursive: true });
  const present = (await readdir(directory)).filter((name) => name !== ".git");
  if (present.length > 0) throw new Error(`${directory} is not empty: it holds ${present.slice(0, 3).join(", ")}`);
  const written: string[] = [];
  for (const folder of ["common", kind]) {
    for (const file of await templatesIn(join(TEMPLATES, folder))) {
      const target = fill(file.slice(0, -ENDING.length), plan).replace(/(^|\/)_git/, "$1.git");
      await mkdir(dirname(join(directory, target)), { recursive: true });
      const text = fill(await readFile(join(TEMPLATES, folder, file), "utf8"), plan);
      await writeFile(join(directory, target), text, { flag: "wx" });
      written.push(target);
    }
  }
  return written.toSorted();
}

async function templatesIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(ENDING));
}

function fill(text: string, { names, description, kind }: PluginPlan): string {
  const values: Readonly<Record<string, string>> = {
    package: names.package,
    folder: names.folder,
    export: names.export,
    part: names.part,
    keyword: kind === "part" ? "part" : "source",
    // The suite that proves a part is the host's.
    hostLine: kind === "part" ? `    "@ikigai/host": "^${coreVersion()}",\n` : "",
    kind,
    description,
    descriptionJson: JSON.stringify(description),
    year: String(new Date().getFullYear()),
    coreVersion: coreVersion(),
    ...VERSIONS,
  };
  return text.replace(/__(\w+?)__/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? (values[key] ?? "") : whole,
  );
}
