/** Names that a range of lines had before it was `offset` and `limit`. */
export interface OlderRange {
  readonly first: string;
  /** The last line, included. */
  readonly last?: string;
  /** Name of the argument that says how many lines. */
  readonly count?: string;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Arguments in which a range of lines is `offset` and `limit`, also where older words were used.
 *
 * Contract: words that are not numbers, or that say the same twice, stay as they are, so that the schema refuses them.
 */
export function modernRange(args: Arguments, { first, last, count }: OlderRange): Arguments {
  const { [first]: from, [last ?? ""]: to, [count ?? ""]: many, ...rest } = args;
  if (from === undefined && to === undefined && many === undefined) return args;
  const isRange = [from, to, many].every((one) => one === undefined || one === null || Number.isInteger(one));
  if (!isRange || "offset" in args || "limit" in args) return args;
  const offset = from ?? undefined;
  const limit = typeof to === "number" ? to - Number(offset ?? 1) + 1 : (many ?? undefined);
  return { ...rest, ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
}
