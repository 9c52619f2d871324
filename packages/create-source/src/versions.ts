import { readFileSync } from "node:fs";

/** What a new plugin is built with, besides core. A test compares them with this repository's own. */
export const VERSIONS = {
  zodVersion: "4.6.7",
  typescriptVersion: "7.0.2",
  nodeTypesVersion: "22.20.5",
  changesetsVersion: "2.31.1",
} as const;

/** The version of core that this generator belongs to: all packages are released together, under one number. */
export function coreVersion(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
