// The long races and fault matrices, two files at a time. Some need strace and root; each says so when it cannot run.
import { spawnSync } from "node:child_process";

const { status } = spawnSync("vitest", ["run", "-c", "vitest.faults.config.ts", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
