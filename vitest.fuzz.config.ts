import { defineConfig } from "vitest/config";
import { alias } from "./vitest.shared.ts";

/** The fuzzer for as long as it is told: `npm run test:fuzz`. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ["tools/fuzz/long-run.ts"],
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 86_400_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});
