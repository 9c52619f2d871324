import { IkigaiError } from "@ikigai/core";

/** The fields that an operation must and may have, beside `op`. */
export interface OperationFields {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
}

/** Contract: throws `invalid_input` that names every missing field, or one that does not belong to the operation. */
export function assertOperationFields<Op extends string>(
  tool: string,
  input: { readonly op: Op },
  operations: Readonly<Record<Op, OperationFields>>,
): void {
  const { required, optional = [] } = operations[input.op];
  const given = Object.entries(input).flatMap(([name, value]) => (name === "op" || value === undefined ? [] : [name]));
  const missing = required.filter((name) => !given.includes(name));
  const foreign = given.filter((name) => !required.includes(name) && !optional.includes(name));
  if (missing.length === 0 && foreign.length === 0) return;
  const problem = missing.length > 0 ? `needs ${missing.join(" and ")}` : `does not take ${foreign.join(" or ")}`;
  throw new IkigaiError("invalid_input", `${tool}: the operation "${input.op}" ${problem}`, {
    hint: `It takes: ${[...required, ...optional.map((name) => `${name} (optional)`)].join(", ")}.`,
  });
}
