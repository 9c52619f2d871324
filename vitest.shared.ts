import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Tests run on the sources, so that coverage speaks of them; child processes run what was built. */
const root = fileURLToPath(new URL(".", import.meta.url));

/** Where an import of one of our packages leads in a test. */
export const alias: { find: RegExp; replacement: string }[] = [
  { find: /^@ikigai\/([a-z-]+)\/testing$/, replacement: `${root}packages/$1/src/testing/index.ts` },
  { find: /^@ikigai\/([a-z-]+)\/part$/, replacement: `${root}packages/$1/src/part/index.ts` },
  { find: /^@ikigai\/core\/host$/, replacement: `${root}packages/core/src/host/index.ts` },
  { find: /^@ikigai\/core\/assets$/, replacement: `${root}packages/core/src/assets/index.ts` },
  { find: /^@ikigai\/core\/process$/, replacement: `${root}packages/core/src/process/index.ts` },
  { find: /^@ikigai\/core\/redact$/, replacement: `${root}packages/core/src/redact/index.ts` },
  { find: /^@ikigai\/core\/text$/, replacement: `${root}packages/core/src/text/index.ts` },
  { find: /^@ikigai\/host\/([a-z]+)$/, replacement: `${root}packages/host/src/$1/index.ts` },
  { find: /^@ikigai\/terminal\/screen$/, replacement: `${root}packages/terminal/src/screen/index.ts` },
  { find: /^@ikigai\/mcp\/serve$/, replacement: `${root}packages/mcp/src/serve/index.ts` },
  { find: /^@ikigai\/recall\/tool$/, replacement: `${root}packages/recall/src/recall-tool.ts` },
  ...readdirSync(`${root}packages`).map((name) => ({
    find: new RegExp(`^@ikigai/${name}$`),
    replacement: `${root}packages/${name}/src/index.ts`,
  })),
];
