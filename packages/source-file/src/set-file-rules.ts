import { IkigaiError } from "@ikigai/core";
import { partsOf } from "./open-file-source.ts";
import type { FileRule } from "./rules.ts";

/**
 * Exchanges the rules of a mounted folder while it runs, for a host whose configuration changed.
 *
 * Contract: all or nothing; an invalid glob is `invalid_input` and leaves the old rules in force. `source` is what a
 * route gives; one that is no folder on disk is `unsupported`.
 */
export function setFileRules(source: object, rules: readonly FileRule[]): void {
  const parts = partsOf(source);
  if (parts === undefined) throw new IkigaiError("unsupported", "This source is not a folder on disk and has no rules");
  parts.setRules(rules);
}
