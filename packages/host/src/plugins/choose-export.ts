/** What a module may export for a host: a source of text, a stream, or a part. */
export interface ExportedDefinition {
  readonly kind: "block" | "stream" | "part";
  readonly contract: unknown;
  readonly name: string;
  readonly options: { readonly "~standard": { readonly validate: (value: unknown) => unknown } };
  readonly open: (...given: never[]) => Promise<unknown>;
}

/** Which list of the configuration names the module. */
export type WantedExport = "source" | "part";

/** The definition that is meant, or why none is. */
export type ChosenExport =
  | { readonly definition: ExportedDefinition }
  | { readonly definition?: never; readonly what: string; readonly hint: string };

const KINDS: Readonly<Record<WantedExport, readonly unknown[]>> = { source: ["block", "stream"], part: ["part"] };
const MAKERS: Readonly<Record<WantedExport, string>> = {
  source: "defineDataBlock or defineDataStream",
  part: "definePart",
};
const OTHER: Readonly<Record<WantedExport, WantedExport>> = { source: "part", part: "source" };

/**
 * Decides which export of a loaded module is meant, for the host and for the process that tries it first.
 *
 * Contract: the export that is named; without a name the only one of the wanted kind, or the only source of text. Imports
 * nothing, so that it can be asked anywhere.
 */
export function chooseExport(
  use: string,
  loaded: Readonly<Record<string, unknown>>,
  { wanted, exportName }: { readonly wanted: WantedExport; readonly exportName?: string | undefined },
): ChosenExport {
  const found = definitionsIn(loaded, wanted);
  const names = found.map(({ name }) => name).join(", ");
  if (exportName !== undefined) {
    const named = found.find(({ name }) => name === exportName);
    if (named !== undefined) return { definition: named.definition };
    return {
      what: `it exports no ${wanted} definition called ${exportName}`,
      hint: names === "" ? `Use a package that exports a ${wanted}.` : `It exports: ${names}.`,
    };
  }
  const only = onlyOf(found) ?? onlyOf(found.filter(({ definition }) => definition.kind === "block"));
  if (only !== undefined) return { definition: only.definition };
  const what = `it exports ${found.length} ${wanted} definitions, not one`;
  if (found[0] !== undefined) {
    return { what, hint: `Name one of ${names}, as in ${JSON.stringify(`${use}#${found[0].name}`)}.` };
  }
  const other = OTHER[wanted];
  if (definitionsIn(loaded, other).length === 0)
    return { what, hint: `Use a package that exports what ${MAKERS[wanted]} returns.` };
  return { what: `${what}, but a ${other}`, hint: `Name it under "${other}s" in the configuration.` };
}

/** Which list of the configuration a module belongs to. Contract: a source goes first, also where nothing can be chosen. */
export function kindOfExports(
  use: string,
  loaded: Readonly<Record<string, unknown>>,
  exportName: string | undefined,
): WantedExport {
  const isChosen = (wanted: WantedExport): boolean =>
    chooseExport(use, loaded, { wanted, exportName }).definition !== undefined;
  if (isChosen("source")) return "source";
  if (isChosen("part")) return "part";
  const isOfParts = definitionsIn(loaded, "source").length === 0 && definitionsIn(loaded, "part").length > 0;
  return isOfParts ? "part" : "source";
}

interface NamedDefinition {
  readonly name: string;
  readonly definition: ExportedDefinition;
}

function definitionsIn(loaded: Readonly<Record<string, unknown>>, wanted: WantedExport): readonly NamedDefinition[] {
  return Object.entries(loaded).flatMap(([name, value]) => {
    return isDefinition(value) && KINDS[wanted].includes(value.kind) ? [{ name, definition: value }] : [];
  });
}

function isDefinition(value: unknown): value is ExportedDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { contract, open, options } = value as Partial<ExportedDefinition>;
  if (contract === undefined || typeof open !== "function") return false;
  return typeof options?.["~standard"]?.validate === "function";
}

function onlyOf<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}
