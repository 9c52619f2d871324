import { spawn } from "node:child_process";
import { peakMemory } from "./peak-memory.ts";

/**
 * The most memory in MB that a short program had, in one run of its own that is not timed.
 *
 * Contract: absent where the system does not say. Looked at as often as possible, so a last moment may be missed.
 */
export async function runForPeak(command: string, args: readonly string[], cwd: string): Promise<number | undefined> {
  const child = spawn(command, [...args], { cwd, stdio: ["ignore", "ignore", "ignore"] });
  let peak: number | undefined;
  let running = true;
  const look = (): void => {
    peak = Math.max(peak ?? 0, peakMemory(child.pid) ?? 0) || undefined;
    if (running) setImmediate(look);
  };
  look();
  await new Promise<void>((resolve, reject) => {
    child.on("close", () => resolve());
    child.on("error", reject);
  });
  running = false;
  return peak;
}
