import { type ErrorCode, IkigaiError } from "@ikigai/core";

/** The way of a plugin from its name to a mounted source. */
export type PluginStage = "resolve" | "import" | "definition" | "contract version" | "options" | "open";

export interface PluginFault {
  readonly use: string;
  readonly stage: PluginStage;
  readonly what: string;
  /** The remedy. */
  readonly hint: string;
  readonly code?: ErrorCode;
  readonly cause?: unknown;
}

/** A failure that names its stage, the package and the remedy. */
export function pluginFailure({ use, stage, what, hint, code = "unavailable", cause }: PluginFault): IkigaiError {
  return new IkigaiError(code, `Plugin "${use}" failed at ${stage}: ${what}`, {
    hint,
    details: { use, stage },
    ...(cause !== undefined && { cause }),
  });
}
