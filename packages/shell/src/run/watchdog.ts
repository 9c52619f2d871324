import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { IkigaiError } from "@ikigai/core";
import type { ProcessMark } from "@ikigai/core/process";

/** The process that cleans up when this one is gone, even when it was killed. */
export interface Watchdog {
  /**
   * Makes sure that somebody ends what carries `mark`, besides what carries the host's marker.
   *
   * Contract: returns only when a watchdog was started; throws `unavailable` when none can be.
   */
  ensure(mark?: ProcessMark): void;
  /** Lets the watchdog do its work now. Resolves when it has ended. */
  release(): Promise<void>;
}

/**
 * Guards all commands of this process: one small process in a session of its own, started with the first command.
 *
 * Contract: nothing that kills this process, its group or its session reaches the watchdog. It holds no event loop open.
 */
export function createWatchdog(marker: string, folder: string, environment: NodeJS.ProcessEnv): Watchdog {
  let child: ChildProcess | undefined;
  let released = false;
  const marks: ProcessMark[] = [];

  function ensure(mark?: ProcessMark): void {
    if (mark !== undefined) marks.push(mark);
    if (child !== undefined) {
      if (mark !== undefined) child.stdin?.write(`${mark}\n`);
      return;
    }
    const script = createRequire(import.meta.url).resolve("#watchdog");
    const started = spawn(process.execPath, [script, marker, folder], {
      cwd: "/",
      detached: true,
      env: environment,
      stdio: ["pipe", "ignore", "ignore"],
    });
    if (started.pid === undefined) {
      started.on("error", () => {});
      throw new IkigaiError("unavailable", "No command can run: the watchdog that ends them could not be started", {
        hint: "End other programs, or start ikigai again.",
      });
    }
    child = started;
    started.stdin?.on("error", () => {});
    started.stdin?.write(marks.map((one) => `${one}\n`).join(""));
    started.unref();
    (started.stdin as unknown as { unref(): void }).unref();
    started.once("exit", () => {
      child = undefined;
      // A command may have killed it; whatever still runs needs a new one.
      if (!released) ensure();
    });
  }

  return {
    ensure,
    async release() {
      released = true;
      const last = child;
      if (last === undefined) return;
      last.ref();
      await new Promise<void>((resolve) => {
        last.once("exit", () => resolve());
        last.stdin?.end();
      });
    },
  };
}
