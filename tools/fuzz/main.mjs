// Random calls in random worlds, for as long as it is told: --calls N (default 100,000) or --minutes M.
// --seed N repeats a run; --per-world N sets the calls of each world, --stages N how many worlds run at once (default 2); --all goes on after a finding and tells known ones too.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const options = {
  seed: { type: "string" },
  calls: { type: "string" },
  minutes: { type: "string" },
  "per-world": { type: "string" },
  stages: { type: "string" },
  all: { type: "boolean" },
};
const { values } = parseArgs({ options });
const flags = Object.entries(values).map(([name, value]) => [
  `FUZZ_${name.toUpperCase().replaceAll("-", "_")}`,
  String(value),
]);
const { status } = spawnSync("vitest", ["run", "-c", "vitest.fuzz.config.ts"], {
  stdio: "inherit",
  env: { ...process.env, ...Object.fromEntries(flags) },
});
process.exitCode = status ?? 1;
