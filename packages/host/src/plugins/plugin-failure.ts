import { type ErrorCode, IkigaiError, messageOf } from "@ikigai/core";
import type { Misdeeds } from "./guarded.ts";

/** The way of a plugin from its name to a mounted source or an open part. */
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

/** Why a plugin that was loaded is not open: what it did that it should not, wrong options, or what its own code says. */
export function openFailure(use: string, { found: [misdeed] }: Misdeeds, cause: unknown): IkigaiError {
  const known = IkigaiError.is(cause) ? cause : undefined;
  const wrong = known?.details?.["options"];
  if (misdeed === undefined && typeof wrong === "string") {
    return pluginFailure({
      use,
      stage: "options",
      what: wrong,
      hint: "Correct its options in the configuration; its README lists them.",
      code: "invalid_input",
    });
  }
  return pluginFailure({
    use,
    stage: "open",
    what: misdeed ?? messageOf(cause),
    hint: (cause as { hint?: string } | undefined)?.hint ?? "Correct its options, ask its author, or remove it.",
    ...(known !== undefined && { code: known.code }),
    cause,
  });
}
