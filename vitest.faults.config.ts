import { defineConfig } from "vitest/config";
import { alias } from "./vitest.shared.ts";

/** Long races, killed processes and full disks: run on their own, one file at a time, on a machine that allows them. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ["**/*.faults.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
