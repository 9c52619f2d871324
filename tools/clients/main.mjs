// The laboratory of real clients: `npm run test:clients [-- NAME …]`. Each is installed from the registry, started
// against a scripted model, and checked by what the model received. A run of all of them writes docs/clients.md.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { all } from "./client/all.mjs";
import { CHECKS } from "./checks.mjs";
import { openStore } from "./place.mjs";
import { clientsPage } from "./page.mjs";
import { stopAll } from "./processes.mjs";
import { tryClient } from "./try-client.mjs";

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.some((client) => client.name === name));
if (unknown.length > 0) {
  process.stderr.write(`no such client: ${unknown.join(", ")}. There are: ${all.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}
const chosen = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const rows = [];
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    stopped.abort();
    stopAll();
  });
}
const store = openStore();
try {
  for (const client of chosen) {
    if (stopped.signal.aborted) break;
    const started = performance.now();
    const row = await tryClient(client, store);
    rows.push(row);
    tell(row, (performance.now() - started) / 1000);
  }
} finally {
  await store.close();
}
if (stopped.signal.aborted) process.exit(130);
if (wanted.length === 0) writePage();
const results = rows.flatMap(({ checks }) => [...checks.values()]);
const count = (wantedState) => results.filter(({ state }) => state === wantedState).length;
const absent = rows.filter((row) => row.absent !== undefined).length;
process.stdout.write(
  `\n${count("ok")} ok, ${count("fails")} failed, ${count("limit")} limits of clients, ${absent} clients not installed\n`,
);
process.exitCode = count("fails") === 0 ? 0 : 1;

function writePage() {
  const page = fileURLToPath(new URL("../../docs/clients.md", import.meta.url));
  writeFileSync(page, clientsPage(rows));
  spawnSync("oxfmt", [page], { stdio: "ignore" });
}

function tell({ client, version, protocol, absent: reason, checks, asked = [] }, seconds) {
  process.stdout.write(`${client.title} ${version}: ${reason ?? protocol} (${seconds.toFixed(0)} s)\n`);
  for (const name of CHECKS.filter((check) => checks.has(check))) {
    const { state, note } = checks.get(name);
    process.stdout.write(
      `  ${{ ok: "ok", fails: "not ok", limit: "limit" }[state]} ${name}${note === "" ? "" : `: ${note}`}\n`,
    );
  }
  if (asked.length > 0) process.stdout.write(`  tried to reach ${asked.join(", ")}, and was refused\n`);
}
