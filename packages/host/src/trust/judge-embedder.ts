import type { HostServices } from "@ikigai/core";
import type { Config } from "../configuration/config.ts";
import type { CodeRuns } from "./code-runs.ts";
import { embedderUnits } from "./code-unit.ts";
import { holdInThisProcess } from "./held-code.ts";

/** What judges the packages of the configured embedder. Contract: nothing for one that loads none. */
export function judgeEmbedder(
  { recall }: Pick<Config, "recall">,
  runs: Pick<CodeRuns, "check">,
): Pick<HostServices, "judgeEmbedder"> {
  const units = recall?.embedder === undefined ? [] : embedderUnits(recall.embedder, "");
  if (units.length === 0) return {};
  return {
    async judgeEmbedder() {
      for (const unit of units) {
        const held = await runs.check(unit);
        if (held !== undefined) await holdInThisProcess(held);
      }
    },
  };
}
