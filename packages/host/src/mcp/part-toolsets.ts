import type { PartStatus } from "../parts/open-parts.ts";

/** What toolsets of parts are made from. */
export interface PartsOfHost {
  parts(): readonly PartStatus[];
}

/** Whether a name can only be that of a part: no tool and no toolset has a dash. */
export function isPartOnly(name: string): boolean {
  return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/.test(name);
}

/** Toolsets of the parts that do not come with ikigai, by the name of the part. */
export function partToolsets(host: PartsOfHost): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(foreignParts(host).map(({ part, tools }) => [part, tools]));
}

/**
 * Which tools a list of toolsets, tools and names of parts selects.
 *
 * Contract: the name of a part stands for the tools that it has when it is asked. Without a list, every part's are selected:
 * whoever added a part wants its tools. Everything else is left to `select`.
 */
export function selectWithParts(
  host: PartsOfHost,
  chosen: readonly string[] | undefined,
  select: (names: readonly string[] | undefined) => (tool: string) => boolean,
): (tool: string) => boolean {
  const known = foreignParts(host).map(({ part }) => part);
  const named = chosen === undefined ? known : known.filter((part) => chosen.includes(part));
  const selected = select(chosen?.filter((name) => !named.includes(name) && !isPartOnly(name)));
  return (tool) =>
    selected(tool) || foreignParts(host).some(({ part, tools }) => named.includes(part) && tools.includes(tool));
}

function foreignParts(host: PartsOfHost): readonly PartStatus[] {
  return host.parts().filter(({ use, state }) => use !== undefined && state === "open");
}
