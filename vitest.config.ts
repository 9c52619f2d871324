import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LONGEST, longestFirst } from "./vitest.order.ts";
import { alias } from "./vitest.shared.ts";

/** Groups whose tests make stores of their own. */
const STORES: ReadonlySet<string> = new Set(["apps", "tools"]);
const prepareStores = fileURLToPath(new URL("vitest.stores.ts", import.meta.url));
const prepareProgram = fileURLToPath(new URL("vitest.program.ts", import.meta.url));
/** `measured` runs with coverage, which has thresholds for it alone. */
const groups = {
  measured: "packages/{core,memory}",
  packages: "packages/!(core|memory)",
  apps: "apps/*",
  examples: "examples/*",
  tools: "tools",
  bench: "bench",
};
/** Groups whose files may follow each other in one process, so that its modules are loaded once. */
const TOGETHER: ReadonlySet<string> = new Set(["measured"]);

export default defineConfig({
  resolve: { alias },
  test: {
    // Much of the time goes by waiting for child processes and disks: two workers leave a quarter of two cores idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: Object.entries(groups).map(([name, folder]) => ({
      resolve: { alias },
      test: {
        name,
        isolate: !TOGETHER.has(name),
        include: [`${folder}/**/*.test.ts`],
        exclude: ["**/node_modules/**", "**/dist/**", "**/*.faults.test.ts"],
        testTimeout: 30_000,
        hookTimeout: 60_000,
        globalSetup: STORES.has(name) ? [prepareStores, prepareProgram] : [],
      },
    })),
    coverage: {
      provider: "v8",
      include: ["packages/{core,memory}/src/**/*.ts"],
      exclude: ["**/*.test.ts", "packages/*/src/testing/**", "**/*.d.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "packages/core/src/{*,assets/*,call/*,policy/*,source/*,tool/*}.ts": {
          statements: 99.5,
          branches: 98.5,
          functions: 99.5,
          lines: 99.5,
        },
        "packages/core/src/{process,redact}/*.ts": { statements: 98.5, branches: 95, functions: 98, lines: 99 },
        "packages/memory/src/**": { statements: 99, branches: 97, functions: 99, lines: 99.3 },
      },
    },
  },
});
