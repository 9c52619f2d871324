import { assertPlainText } from "./assert-plain-text.ts";
import { isNestedTooDeep, MAX_NESTING } from "../nesting.ts";
import type { AllowedOperations, RegisteredTool } from "../tool/catalog.ts";
import type { Deadline } from "./deadline.ts";
import { dropNulls } from "./drop-nulls.ts";
import { findDuplicateKey } from "./duplicate-key.ts";
import { IkigaiError } from "../errors.ts";
import { describeIssues } from "../tool/schema.ts";
import type { AnyTool } from "../tool/tool.ts";

/** A call as a model makes it. */
export interface ToolCall {
  /** Default: a new one. */
  readonly id?: string;
  readonly name: string;
  /** JSON text as the model sent it, or the object it stands for. Unchecked. */
  readonly arguments: unknown;
}

/** A call that was parsed and checked, and that this agent may make. */
export interface PreparedCall {
  readonly input: unknown;
  readonly operation: string | undefined;
}

/** Contract: throws what the call answers with when it cannot be made. Runs nothing of the tool but its schema. */
export async function prepareCall(
  registered: RegisteredTool,
  call: ToolCall,
  allowed: AllowedOperations | undefined,
  deadline: Deadline,
): Promise<PreparedCall> {
  const { tool, card } = registered;
  const parsed = parseArguments(call);
  assertPlainText(call.name, parsed);
  assertShallow(call.name, parsed);
  const given = dropNulls(parsed, card.inputSchema);
  const input = await checkInput(registered, dropNulls(tool.modernise?.(given) ?? given, card.inputSchema), deadline);
  const operation = operationOf(registered.tool, input);
  assertOperationAllowed(registered.tool, operation, allowed);
  return { input, operation };
}

/** What is nested deeper than the stack could be neither checked by schemas nor written down. */
function assertShallow(tool: string, given: Readonly<Record<string, unknown>>): void {
  const field = Object.keys(given).find((name) => isNestedTooDeep(given[name]));
  if (field === undefined) return;
  throw new IkigaiError(
    "invalid_input",
    `${tool}: The field ${JSON.stringify(field)} is nested more than ${MAX_NESTING} levels deep`,
    { hint: "Send a flatter value." },
  );
}

/** Strict: text that is not exactly one JSON object is never repaired and never run. */
function parseArguments(call: ToolCall): Record<string, unknown> {
  let value = call.arguments;
  if (typeof value === "string") {
    try {
      const text = value;
      value = JSON.parse(text);
      const twice = findDuplicateKey(text);
      if (twice !== undefined)
        throw new SyntaxError(`the field ${JSON.stringify(twice.slice(0, 80))} stands in it twice`);
    } catch (cause) {
      throw new IkigaiError(
        "invalid_input",
        `${call.name}: the arguments are not valid JSON (${(cause as Error).message})`,
        {
          hint: "Send the whole call again as one JSON object.",
          cause,
        },
      );
    }
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw new IkigaiError("invalid_input", `${call.name}: the arguments must be one JSON object, not ${kind}`, {
    hint: "Send one object whose fields are those of the input schema.",
  });
}

async function checkInput(
  { tool, card }: RegisteredTool,
  raw: Readonly<Record<string, unknown>>,
  deadline: Deadline,
): Promise<unknown> {
  const { properties = {}, additionalProperties = false } = card.inputSchema;
  const extra =
    additionalProperties === false && Object.keys(raw).find((key) => !Object.hasOwn(properties as object, key));
  if (typeof extra === "string") {
    throw new IkigaiError("invalid_input", `${tool.name}: unknown field ${JSON.stringify(extra.slice(0, 80))}`, {
      hint: `Use only these fields: ${Object.keys(properties as object).join(", ") || "none"}.`,
    });
  }
  const checked = await deadline.race(tool.input["~standard"].validate(raw));
  if (checked.issues)
    throw new IkigaiError("invalid_input", `${tool.name}: ${describeIssues(checked.issues)}`, {
      hint: `Correct it and call again. ${describeFields(card.inputSchema)}`,
    });
  return checked.value;
}

/** The fields of an input, those first that every call has. */
function describeFields({ properties = {}, required = [] }: RegisteredTool["card"]["inputSchema"]): string {
  const needed = new Set(required as readonly string[]);
  const names = Object.keys(properties as object);
  const told = [
    ...names.filter((name) => needed.has(name)).map((name) => `${name} (required)`),
    ...names.filter((name) => !needed.has(name)),
  ];
  return told.length === 0 ? "There are no fields." : `The fields are: ${told.join(", ")}.`;
}

function operationOf(tool: AnyTool, input: unknown): string | undefined {
  return tool.operations === undefined ? undefined : (input as { readonly op?: string }).op;
}

function assertOperationAllowed(
  { name, operations }: AnyTool,
  operation: string | undefined,
  allowed: AllowedOperations | undefined,
): void {
  if (operations === undefined || allowed === undefined || !Object.hasOwn(allowed, name)) return;
  const open = (allowed[name] as readonly string[]).filter((one) => Object.hasOwn(operations, one));
  // A call that names no operation leaves the choice to the tool, which may choose a closed one.
  if (operation !== undefined && open.includes(operation)) return;
  const what = operation === undefined ? "a call without op" : `the operation "${operation}"`;
  throw new IkigaiError("permission_denied", `${name}: this agent may not use ${what}`, {
    hint: `Use one of: ${open.join(", ")}.`,
  });
}
