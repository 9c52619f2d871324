// One part in a process of its own, so that what one left in memory burdens no other: `node part.js NAME
// [--quick] [--whole]` prints each line as JSON.
import { BENCHES } from "./benches.ts";
import { stopOnSignal, stopped } from "./stop.ts";

const [name = "", ...flags] = process.argv.slice(2);
try {
  const bench = await BENCHES[name]?.();
  stopOnSignal();
  const lines = await bench?.(flags.includes("--quick"), flags.includes("--whole"));
  for (const line of lines ?? []) process.stdout.write(`${JSON.stringify(line)}\n`);
} catch (error) {
  if (stopped.aborted) process.exit(130);
  process.stderr.write(`bench: ${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  // At once: the library that starts servers would end the process in its own way, as if nothing had happened.
  process.exit(1);
}
