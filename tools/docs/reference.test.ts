import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { pages, read, ROOT } from "./markdown.ts";

test("the reference is what the code says", { timeout: 300_000 }, async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [join(ROOT, "tools/make-reference.mjs"), "--check"]);
  expect(stderr).toBe("");
});

test("the reference has every public name of core and host, and every tool has a call", () => {
  const contracts = read("docs/reference/contracts.md");
  const names = JSON.parse(read("tools/public-names.json")) as Record<string, string[]>;
  const entries = Object.keys(names).filter((entry) => /^@ikigai\/(core|host)(\/|$)/.test(entry));
  expect(entries.length).toBeGreaterThan(15);
  // Types that no door offers and that the options and answers of a host are made of.
  const named = ["HostPlace", "Caller", "GivenPart", "PartStatus", "HostStore", "PartSuite"];
  const missing = [...entries.flatMap((entry) => names[entry] ?? []), ...named].filter(
    (name) => !contracts.includes(`\n### ${name}\n`),
  );
  expect(missing).toEqual([]);
  const tools = read("docs/reference/tools.md").split("\n## ").slice(1);
  expect(tools.length).toBeGreaterThan(25);
  expect(tools.filter((tool) => !tool.includes("| a call |")).map((tool) => tool.split("\n")[0])).toEqual([]);
  expect(pages().filter((page) => page.startsWith("docs/reference/")).length).toBe(6);
});

test("the configuration's reference goes down to the fields of servers and embedders", () => {
  const page = read("docs/reference/configuration.md");
  for (const field of ["command", "args", "env", "cwd", "url", "headers", "timeout_ms"]) {
    expect(page).toContain(`\n| \`mcp.servers.NAME.${field}\` |`);
  }
  for (const field of ["base_url", "model", "dimensions", "api_key_env"]) {
    expect(page).toContain(`\n| \`recall.embedder(use=endpoint).${field}\` |`);
  }
});
