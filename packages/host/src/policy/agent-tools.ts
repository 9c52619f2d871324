import type { AllowedOperations, ToolRegistry } from "@ikigai/core/host";
import type { AgentConfig } from "../configuration/agent-config.ts";

type SnapshotOptions = NonNullable<Parameters<ToolRegistry["snapshot"]>[0]>;

/**
 * The registry as one agent may use it: whatever is not open to it is neither shown nor run.
 *
 * Contract: what a caller narrows is narrowed further, never opened. Tools are registered, found by `get` and watched as
 * in the registry itself.
 */
export function restrictTools(registry: ToolRegistry, agent: AgentConfig | undefined): ToolRegistry {
  const { tools, operations } = agent ?? {};
  if (tools === undefined && operations === undefined) return registry;
  const narrow = ({ select, allowed }: SnapshotOptions = {}): SnapshotOptions => ({
    select: (name) => (tools?.includes(name) ?? true) && (select?.(name) ?? true),
    allowed: intersect(operations ?? {}, allowed ?? {}),
  });
  const now = (): ReturnType<ToolRegistry["snapshot"]> => registry.snapshot(narrow());
  return {
    ...registry,
    snapshot: (view) => registry.snapshot(narrow(view)),
    call: (call, options) => now().call(call, options),
    plan: (call, options) => now().plan(call, options),
  };
}

/** Why `agent` may not use the tool at all. Absent when it may. */
export function whyWithheld({ name, tools, operations }: AgentConfig, tool: string): string | undefined {
  const may = `the agent ${JSON.stringify(name)} may not use ${tool}`;
  if (tools?.includes(tool) === false) return `${may}: its tools are ${tools.join(", ") || "none"}`;
  if (operations !== undefined && Object.hasOwn(operations, tool)) return `${may}: none of its operations is open`;
  return undefined;
}

/** One sentence for each name in the agent's configuration that leads to no tool or to no operation. */
export function unknownNames(
  { name, tools = [], operations = {} }: AgentConfig,
  registry: Pick<ToolRegistry, "get">,
  /** Whether a tool of that name may come later, or is only not installed. */
  mayCome: (tool: string) => boolean,
): string[] {
  const agent = `The agent ${JSON.stringify(name)}`;
  const missing = [...new Set([...tools, ...Object.keys(operations)])].filter(
    (tool) => registry.get(tool) === undefined && !mayCome(tool),
  );
  return [
    ...missing.map((tool) => `${agent} names the tool ${JSON.stringify(tool)}, which there is not.`),
    ...Object.entries(operations).flatMap(([tool, open]) => {
      const found = registry.get(tool);
      if (found === undefined) return [];
      const known = Object.keys(found.operations ?? {});
      const has = known.length === 0 ? "It has no operations" : `It has: ${known.join(", ")}`;
      return open
        .filter((one) => !known.includes(one))
        .map((one) => `${agent} names the operation ${JSON.stringify(one)} of ${tool}, which there is not. ${has}.`);
    }),
  ];
}

function intersect(first: AllowedOperations, second: AllowedOperations): AllowedOperations {
  const both = Object.entries(second).map(([tool, open]) => [
    tool,
    Object.hasOwn(first, tool) ? open.filter((one) => first[tool]?.includes(one)) : open,
  ]);
  return { ...first, ...(Object.fromEntries(both) as AllowedOperations) };
}
