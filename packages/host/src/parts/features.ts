import { existsSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Database from "@ikigai/database";
import { IkigaiError, messageOf } from "@ikigai/core";
import type * as SourcePostgres from "@ikigai/source-postgres";
import type * as StorePostgres from "@ikigai/store-postgres";
import { FEATURES, type FeatureName, OWN_MODULES, OWN_PACKAGES, type OwnModules } from "./own-packages.ts";
import { shellWord } from "../configuration/shell-word.ts";

/** The modules of optional packages, by feature. */
export interface PartModules extends OwnModules {
  readonly "@ikigai/database": typeof Database;
  readonly "@ikigai/source-postgres": typeof SourcePostgres;
  readonly "@ikigai/store-postgres": typeof StorePostgres;
}

export type PartName = keyof PartModules;

const HERE = dirname(fileURLToPath(import.meta.url));
/** The tools that a feature brings, so that asking for one says what is missing. */
export const TOOLS: Readonly<Partial<Record<FeatureName, readonly string[]>>> = Object.fromEntries(
  OWN_PACKAGES.map(({ feature, tools }) => [feature, tools]),
);

/** Why a tool that is not registered is not there. Contract: absent when it is of no feature that could be added. */
export function whyNoTool(tool: string): IkigaiError | undefined {
  const feature = (Object.keys(TOOLS) as FeatureName[]).find((name) => TOOLS[name]?.includes(tool));
  return feature === undefined || hasFeature(feature) ? undefined : notInstalled(feature);
}

const LOADERS: { readonly [P in PartName]: () => Promise<PartModules[P]> } = {
  ...OWN_MODULES,
  "@ikigai/database": () => import("@ikigai/database"),
  "@ikigai/source-postgres": () => import("@ikigai/source-postgres"),
  "@ikigai/store-postgres": () => import("@ikigai/store-postgres"),
};

/** Whether a package can be imported from here. Contract: imports nothing; looks where `import` looks, and only there. */
export function isInstalled(name: string): boolean {
  for (let folder = HERE; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", name, "package.json"))) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** The packages that a feature lacks. */
export function missingFor(feature: FeatureName): string[] {
  return FEATURES[feature].packages.filter((name) => !isInstalled(name));
}

export function hasFeature(feature: FeatureName): boolean {
  return missingFor(feature).length === 0;
}

/** Contract: `unavailable` names the feature, the packages that it lacks and the command that adds them. */
export function requireFeature(feature: FeatureName): void {
  const missing = missingFor(feature);
  if (missing.length > 0) throw notInstalled(feature, missing);
}

/** Contract: `unavailable` as {@link requireFeature}, also for a package that is there and cannot be loaded. */
export async function loadPart<P extends PartName>(name: P, feature: FeatureName): Promise<PartModules[P]> {
  requireFeature(feature);
  try {
    return await LOADERS[name]();
  } catch (cause) {
    const whole = name
      .split("/")
      .slice(0, name.startsWith("@") ? 2 : 1)
      .join("/");
    throw new IkigaiError(
      "unavailable",
      `${FEATURES[feature].does} fails: ${whole} cannot be loaded: ${messageOf(cause)}`,
      {
        hint: `Install it anew: ${installCommand([whole])}`,
        cause,
      },
    );
  }
}

export function notInstalled(feature: FeatureName, missing: readonly string[] = missingFor(feature)): IkigaiError {
  const verb = missing.length === 1 ? "is" : "are";
  return new IkigaiError(
    "unavailable",
    `${FEATURES[feature].does} needs ${missing.join(", ")}, which ${verb} not installed`,
    {
      hint: `Run: ${installCommand(missing)}`,
    },
  );
}

/** The command that installs packages beside ikigai itself, in versions that belong to it. */
export function installCommand(packages: readonly string[], from: string = fileURLToPath(import.meta.url)): string {
  const { version, optionalDependencies } = manifest();
  const line = version.split(".").slice(0, 2).join(".");
  const named = packages.map((name) =>
    name.startsWith("@ikigai/") ? `${name}@${line}` : `${name}@${optionalDependencies[name] ?? "latest"}`,
  );
  const project = from.split(`${sep}node_modules${sep}`)[0] ?? "";
  const local = from.includes(`${sep}node_modules${sep}`) && existsSync(join(project, "package.json"));
  return `npm install ${local ? `--prefix ${shellWord(project)}` : "--global"} ${named.join(" ")}`;
}

function manifest(): { version: string; optionalDependencies: Record<string, string> } {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as ReturnType<
    typeof manifest
  >;
}
