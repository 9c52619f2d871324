import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A schema that can both check a value and describe itself as JSON Schema.
 *
 * Zod 4.2 and later, ArkType, and Valibot through `toStandardJsonSchema` qualify; core depends on none of them.
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** A schema that can only check, which is all that a source's options need. */
export type CheckingSchema<Output> = StandardSchemaV1<unknown, Output>;

export type InferOutput<S extends Schema> = StandardSchemaV1.InferOutput<S>;

export type JsonSchema = Readonly<Record<string, unknown>>;

/** One sentence per issue, each with the path of the offending field. */
export function describeIssues(issues: readonly StandardSchemaV1.Issue[]): string {
  return issues.map(({ message, path = [] }) => `${pathName(path)}${message}`).join("; ");
}

function pathName(path: NonNullable<StandardSchemaV1.Issue["path"]>): string {
  if (path.length === 0) return "";
  return `${path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")}: `;
}
