// A folder in memory for what the tests write: their stores sync every commit, and a disk makes them wait for it.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const TMPFS = 0x01021994;
/** A whole run writes up to some 3 GB, most of which it removes as it goes. */
const NEEDED_BYTES = 8 * 2 ** 30;

/**
 * Makes the folder. Contract: absent where there is no file system in memory, where it or the machine has not much more room
 * than a run needs, and where no program could be started from it; then the tests write where everybody does.
 */
export function makeMemoryFolder() {
  let folder;
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    if (type !== TMPFS || bavail * bsize < NEEDED_BYTES || availableBytes() < NEEDED_BYTES) return undefined;
    folder = mkdtempSync(join(MEMORY, "ikigai-test-"));
    // The database server of the tests has a user of its own where root runs them.
    chmodSync(folder, 0o711);
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    if (spawnSync(program).status === 0) return folder;
  } catch {
    // Without it the tests take longer, and that is all.
  }
  if (folder !== undefined) removeFolder(folder);
  return undefined;
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function availableBytes() {
  const [, kilobytes = "0"] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
