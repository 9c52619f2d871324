// The long races and fault matrices, the longest first. Some need strace and root; each says so when it cannot run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { makeMemoryFolder, removeFolder } from "./memory-folder.mjs";

// Who names a folder gets what they named.
const folder = process.env.TMPDIR ? undefined : makeMemoryFolder();
// Vitest ends its own processes; what was written is removed here.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
const [status] = await once(
  spawn("vitest", ["run", "-c", "vitest.faults.config.ts", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, ...(folder !== undefined && { TMPDIR: folder }) },
  }),
  "exit",
);
if (folder !== undefined) removeFolder(folder);
process.exitCode = status ?? 1;
