import { builtinModules } from "node:module";

/** The names that a plugin has in its various places. */
export interface PluginNames {
  /** On the registry. */
  readonly package: string;
  /** What its folder and files are called. */
  readonly folder: string;
  /** What it exports. */
  readonly export: string;
  /** What a part is called: lower-case words with dashes, a letter first. */
  readonly part: string;
}

/** What can be made. */
export type PluginKind = "block" | "stream" | "part";

/** How the names of exports end. */
const SUFFIXES: Readonly<Record<PluginKind, string>> = { block: "source", stream: "stream", part: "part" };

const PACKAGE = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
/** Says in the name of a package what it is, which the part need not say again. */
const PART_PREFIX = /^ikigai-part-(?=.)/;
const MAX_LENGTH = 214;
const TAKEN: ReadonlySet<string> = new Set(["node_modules", "favicon.ico", ...builtinModules]);

/** Contract: `undefined` for what the registry would refuse. */
export function namesFor(name: string, kind: PluginKind): PluginNames | undefined {
  if (name.length > MAX_LENGTH || !PACKAGE.test(name) || TAKEN.has(name)) return undefined;
  const folder = name.slice(name.indexOf("/") + 1);
  const words = folder.split(/[^a-z0-9]+/).filter((word) => word !== "");
  const suffix = SUFFIXES[kind];
  const part = words.join("-").replace(PART_PREFIX, "");
  if (words.at(-1) !== suffix) words.push(suffix);
  const camel = words.map((word, at) => (at === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`)).join("");
  return {
    package: name,
    folder,
    export: /^\d/.test(camel) ? `_${camel}` : camel,
    part: /^\d/.test(part) ? `part-${part}` : part,
  };
}
