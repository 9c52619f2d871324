import { withHint } from "@ikigai/core/host";
import { hasFeature, installCommand, missingFor, notInstalled } from "./features.ts";
import type { PartStatus } from "./open-parts.ts";
import { OWN_PACKAGES } from "./own-packages.ts";

/** Statuses of the parts of ours whose packages are not installed, each with the command that installs them. */
function missingParts(): readonly PartStatus[] {
  return OWN_PACKAGES.filter(({ feature }) => !hasFeature(feature)).map(({ feature }) => {
    const missing = missingFor(feature);
    const { message, hint } = notInstalled(feature, missing);
    return {
      part: feature,
      state: "not_installed",
      error: withHint(message, hint),
      install: installCommand(missing),
      tools: [],
      commands: [],
      mounts: [],
    };
  });
}

/** Statuses of parts, with those of ours that are not installed at the end. Contract: a part is listed once. */
export function withMissingParts(present: readonly PartStatus[]): readonly PartStatus[] {
  const missing = missingParts();
  const isMissing = ({ part, use }: PartStatus): boolean =>
    use === undefined && missing.some((one) => one.part === part);
  return [...present.filter((one) => !isMissing(one)), ...missing];
}
