import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** A plugin as the configuration names it: a package or a file, and which of its sources. */
export interface PluginName {
  readonly module: string;
  /** The export that is meant. Absent: the only source that the module exports. */
  readonly exportName?: string;
}

const NAMED = /^(.+)#([A-Za-z_$][\w$]*)$/s;

/** Reads `package#exportName`, or `./file.js#exportName`. Contract: a file that is called so is meant as it is. */
export function readPluginName(use: string, root: string): PluginName {
  const [, module, exportName] = NAMED.exec(use) ?? [];
  if (module === undefined || exportName === undefined || existsSync(resolve(root, use))) return { module: use };
  return { module, exportName };
}
