import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { processSeconds, type WatchedWork } from "./watchdog.ts";

const CHECK_EVERY_MS = 500;

/** The entry point of the watching thread. */
const { cells, limitMs } = workerData as WatchedWork;
for (;;) {
  Atomics.wait(cells, 1, 0, CHECK_EVERY_MS);
  const began = Atomics.load(cells, 0);
  if (began === 0 || (processSeconds() - began) * 1_000 <= limitMs) continue;
  writeSync(2, `a statement ran longer than ${limitMs} ms: ending\n`);
  process.kill(process.pid, "SIGKILL");
}
