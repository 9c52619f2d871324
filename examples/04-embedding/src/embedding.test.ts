import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the application runs, asserts and ends by itself", async () => {
  const application = fileURLToPath(new URL("../dist/embedding.js", import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [application]);
  expect(stdout).toContain("everything is as it should be");
  for (const form of ["openai", "anthropic", "mcp"]) expect(stdout).toMatch(new RegExp(`^${form}: \\[\\{`, "m"));
  expect(stderr).toBe("");
});
