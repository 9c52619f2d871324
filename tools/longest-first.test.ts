import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { LONGEST, LONGEST_FAULTS } from "../vitest.order.ts";

test.each([...LONGEST, ...LONGEST_FAULTS])("%s, which is begun with because it takes long, is there", (file) => {
  expect(existsSync(fileURLToPath(new URL(`../${file}`, import.meta.url)))).toBe(true);
});
