import { createHash } from "node:crypto";
import { type AnyTool, defineTool, type ToolContext } from "@ikigai/core";
import type { Tool } from "@modelcontextprotocol/client";
import { cleanText } from "./clean-text.ts";
import { foreignInput } from "./foreign-schema.ts";
import type { ForeignResult } from "./foreign-result.ts";
import { effectOf, type ServerSpec } from "./server-spec.ts";

export interface ForeignToolOptions {
  readonly server: string;
  readonly spec: ServerSpec;
  /** The name it gets in the registry. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Receives messages that need no action. */
  readonly note: (message: string) => void;
  readonly call: (tool: string, input: Record<string, unknown>, context: ForeignCallContext) => Promise<ForeignResult>;
}

/** What a call of a foreign tool may use of its own call here. */
export type ForeignCallContext = Pick<ToolContext, "agent" | "callId" | "signal" | "progress" | "attach" | "askForm">;

const MAX_DESCRIPTION = 4_000;
const MAX_TITLE = 100;

/**
 * A tool of another server, as one of ours: under permission, audit and bounds like any other.
 *
 * Contract: what the server claims of itself (that it only reads, say) is passed on to clients and loosens nothing
 * here. Throws `unsupported` when its
 * schema cannot be used.
 */
export function foreignTool(declared: Tool, options: ForeignToolOptions): AnyTool {
  const { server, spec, name, timeoutMs, note, call } = options;
  const { schema, unwrap, warning } = foreignInput(declared.inputSchema);
  if (warning !== undefined) note(`${server}: ${declared.name}: ${warning}`);
  const said = cleanText(declared.description ?? "", MAX_DESCRIPTION);
  const title = cleanText(declared.title ?? "", MAX_TITLE);
  return defineTool({
    name,
    ...(title !== "" && { title }),
    description: said === "" ? `The tool ${cleanText(declared.name, MAX_TITLE)} of the MCP server ${server}.` : said,
    input: schema,
    annotations: annotationsOf(declared),
    timeoutMs,
    effects: () => [effectOf(server, spec, declared.name)],
    run: (input, context) => call(declared.name, unwrap(input), context),
  });
}

function annotationsOf({ annotations = {} }: Tool): NonNullable<AnyTool["annotations"]> {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint = true } = annotations;
  return {
    openWorld: openWorldHint,
    ...(readOnlyHint !== undefined && { readOnly: readOnlyHint }),
    ...(destructiveHint !== undefined && { destructive: destructiveHint }),
    ...(idempotentHint !== undefined && { idempotent: idempotentHint }),
  };
}

/** What trust in a tool rests on: everything a model is told about it, as JSON for a person to read. */
export function toolText({ name, title, description, inputSchema, annotations }: Tool): string {
  return JSON.stringify({ name, title, description, inputSchema, annotations }, undefined, 2);
}

export function toolFingerprint(tool: Tool): string {
  return createHash("sha256").update(toolText(tool)).digest("hex");
}
