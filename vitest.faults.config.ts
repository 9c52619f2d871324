import { defineConfig } from "vitest/config";
import { longestFirst } from "./vitest.order.ts";
import { alias } from "./vitest.shared.ts";

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

/** Long races, killed processes and full disks: run on their own, on a machine that allows them. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ["**/*.faults.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(LONGEST.map((name) => `${name}.faults.test.ts`)) },
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
