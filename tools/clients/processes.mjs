import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { once } from "node:events";

const running = new Set();

/** Ends every program that is running now. */
export function stopAll() {
  for (const pid of running) killGroup(pid);
}

/**
 * Runs a program in a process group of its own.
 *
 * Contract: after `limitMs` the whole group is killed; when it has ended, no process of the group is left.
 */
export async function runBounded(command, args, { cwd, env, limitMs, logFile, input }) {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  child.on("error", () => {});
  running.add(child.pid);
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const log = createWriteStream(logFile, { flags: "a" });
  const out = [];
  const errors = [];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => errors.push(chunk));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child.pid);
  }, limitMs);
  const [code] = await once(child, "exit").catch((error) => [error.message]);
  clearTimeout(timer);
  running.delete(child.pid);
  killGroup(child.pid);
  log.end();
  return { code, timedOut, output: textOf(out), errors: textOf(errors) };
}

function textOf(chunks) {
  return Buffer.concat(chunks).toString("utf8");
}

/** Ends a program and everything it started in its group. */
export function killGroup(pid, signal = "SIGKILL") {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}

export function killProcess(pid) {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
