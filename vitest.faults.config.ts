import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";
import { alias } from "./vitest.shared.ts";

/** The longest first, so that none of them is alone at the end. */
const LONGEST = [
  "going-on",
  "two-clients",
  "nodes",
  "disturbed-clients",
  "pack",
  "keeper",
  "rename-killed",
  "runtimes",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.faults.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Long races, killed processes and full disks: run on their own, on a machine that allows them. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ["**/*.faults.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
