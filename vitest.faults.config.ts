import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LONGEST_FAULTS, longestFirst } from "./vitest.order.ts";
import { alias } from "./vitest.shared.ts";

/** Long races, killed processes and full disks: run on their own, on a machine that allows them. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ["**/*.faults.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    // As many as of the other tests: those that install, that sleep and that are killed leave a third of the processors idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: longestFirst(LONGEST_FAULTS) },
    testTimeout: 300_000,
    hookTimeout: 60_000,
    globalSetup: ["vitest.stores.ts", "vitest.program.ts"].map((file) => fileURLToPath(new URL(file, import.meta.url))),
  },
});
