import { createRequire } from "node:module";
import type * as Yaml from "yaml";

const load = createRequire(import.meta.url);

/** The YAML library, loaded by the first front matter that needs it. */
export const yamlLibrary = (): typeof Yaml => load("yaml") as typeof Yaml;
