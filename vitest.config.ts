import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Tests run on the sources, so that coverage speaks of them; child processes run what was built. */
const root = fileURLToPath(new URL(".", import.meta.url));
const packages = readdirSync(`${root}packages`);
const alias = [
  { find: /^@ikigai\/([a-z-]+)\/testing$/, replacement: `${root}packages/$1/src/testing/index.ts` },
  ...packages.map((name) => ({
    find: new RegExp(`^@ikigai/${name}$`),
    replacement: `${root}packages/${name}/src/index.ts`,
  })),
];
const groups = { packages: "packages/*", apps: "apps/*", examples: "examples/*", tools: "tools" };

export default defineConfig({
  resolve: { alias },
  test: {
    projects: Object.entries(groups).map(([name, folder]) => ({
      resolve: { alias },
      test: {
        name,
        include: [`${folder}/**/*.test.ts`],
        exclude: ["**/node_modules/**", "**/dist/**", "**/*.faults.test.ts"],
        testTimeout: 30_000,
        hookTimeout: 60_000,
      },
    })),
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts", "apps/*/src/**/*.ts"],
      exclude: ["**/*.test.ts", "packages/*/src/testing/**", "**/*.d.ts"],
      reporter: ["text-summary", "json-summary"],
    },
  },
});
