import type { ApprovalMode } from "@ikigai/core/host";
import { type HostPlace, type Place, resolvePlace } from "@ikigai/host/place";

/** What the global flags and the environment say. */
export interface Settings extends Place {
  readonly approve: ApprovalMode;
  readonly json: boolean;
  readonly quiet: boolean;
  /** `provider/model` of the command line or the environment, and where it is served. */
  readonly model?: string;
  readonly baseUrl?: string;
}

export interface GlobalFlags extends Pick<HostPlace, "root" | "store" | "agent"> {
  readonly approve?: ApprovalMode;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
}

export function resolveSettings(flags: GlobalFlags, env: NodeJS.ProcessEnv = process.env): Settings {
  return {
    ...resolvePlace(flags, env),
    approve: flags.approve ?? "ask",
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    ...modelSettings(flags, env),
  };
}

/** Contract: an empty variable counts as none. */
function modelSettings(flags: GlobalFlags, env: NodeJS.ProcessEnv): Pick<Settings, "model" | "baseUrl"> {
  const model = flags.model ?? (env["IKIGAI_MODEL"] || undefined);
  const baseUrl = flags.baseUrl ?? (env["IKIGAI_BASE_URL"] || undefined);
  return { ...(model !== undefined && { model }), ...(baseUrl !== undefined && { baseUrl }) };
}
