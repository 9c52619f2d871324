import { IkigaiError } from "@ikigai/core";
import type { CallPlan, TraceStep } from "@ikigai/core/host";
import type { Host } from "../host.ts";
import { whyWithheld } from "./agent-tools.ts";
import { hooksBefore } from "./hooks.ts";

/** What would be decided on a call, and why. */
export interface ExplainedCall extends CallPlan {
  /** What keeps the call from being planned: the acting agent may not make it at all. */
  readonly denied?: TraceStep;
  /** Commands that are asked before the tool runs, and may deny it. Absent: none. */
  readonly hooks?: readonly (readonly string[])[];
}

/** Says what would be decided on a call without making it. Contract: rejects for a call that nobody could make. */
export async function explainCall(
  host: Host,
  agent: string,
  call: { readonly name: string; readonly arguments: string },
): Promise<ExplainedCall> {
  const { name } = call;
  // What matters is the write itself, not whether this process has read the text before.
  const given = name === "file_write" ? await withPresentVersion(host, call.arguments) : call.arguments;
  const hooks = hooksBefore(host.config.hooks, name);
  return { ...(await planFor(host, agent, name, given)), ...(hooks.length > 0 && { hooks }) };
}

async function planFor(host: Host, agent: string, tool: string, given: string): Promise<ExplainedCall> {
  try {
    return await host.registry.plan({ name: tool, arguments: given }, { agent });
  } catch (error) {
    const known = host.config.agents?.find(({ name }) => name === agent);
    if (known === undefined || !IkigaiError.is(error) || host.registry.get(tool) === undefined) throw error;
    const reason = error.code === "permission_denied" ? error.message : whyWithheld(known, tool);
    if (reason === undefined || !["permission_denied", "not_found"].includes(error.code)) throw error;
    return { effects: [], verdicts: [], denied: { layer: "agent", decision: "deny", reason } };
  }
}

/** The arguments of a write as if whoever calls had seen what is there now. Contract: never rejects; the call itself says what is wrong. */
export async function withPresentVersion({ sources }: Pick<Host, "sources">, text: string): Promise<string> {
  try {
    const input = JSON.parse(text) as Record<string, unknown>;
    const route = sources.route(String(input["path"]));
    const present = await route.source.read(route.address.path);
    return present === undefined ? text : JSON.stringify({ ...input, expected: present.version });
  } catch {
    return text; // The call itself says what is wrong.
  }
}
