/** What a new plugin is built with. A test compares them with this repository's own. */
export const VERSIONS = {
  coreVersion: "0.1.0",
  zodVersion: "4.6.7",
  typescriptVersion: "7.0.2",
  nodeTypesVersion: "22.20.5",
  changesetsVersion: "2.31.1",
} as const;
