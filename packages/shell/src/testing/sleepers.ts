import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** A number of seconds that no other process sleeps, to tell processes by. */
export function uniqueSeconds(): string {
  return String(randomInt(1_000_000_000, 9_000_000_000));
}

/** How many processes sleep for exactly that long. */
export function countSleepers(seconds: string): number {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isSleeper(pid, seconds)).length;
}

function isSleeper(pid: string, seconds: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1") === `sleep\0${seconds}\0`;
  } catch {
    return false;
  }
}

/** Ways to leave a process behind, each with a second one that holds the shell. */
export const WAYS_TO_STAY: Readonly<Record<string, (seconds: string) => string>> = {
  plain: (seconds) => `sleep ${seconds}; true`,
  ampersand: (seconds) => `sleep ${seconds} & sleep ${seconds}; true`,
  nohup: (seconds) => `nohup sleep ${seconds} >/dev/null 2>&1 & sleep ${seconds}; true`,
  setsid: (seconds) => `setsid sleep ${seconds} >/dev/null 2>&1 & sleep ${seconds}; true`,
  "double fork": (seconds) => `(setsid sh -c 'sleep ${seconds} & exit' >/dev/null 2>&1 &); sleep ${seconds}; true`,
  "double fork without environment": (seconds) =>
    `(env -i setsid sh -c 'sleep ${seconds} & exit' >/dev/null 2>&1 &); sleep ${seconds}; true`,
  "disowned by bash": (seconds) => `sleep ${seconds} & disown; sleep ${seconds}; true`,
  "double fork with nothing left open": (seconds) => `(${daemon(seconds)} &); sleep ${seconds}; true`,
  "a program that makes itself a daemon": (seconds) =>
    `${process.execPath} -e 'require("child_process").spawn("sleep", ["${seconds}"], { detached: true, env: {}, stdio: "ignore" }).unref()'; sleep ${seconds}; true`,
  "a deaf one": (seconds) => `trap '' TERM INT HUP; setsid sleep ${seconds} & sleep ${seconds}; true`,
};

/** A command that keeps neither session, parent, environment nor any open file of whoever runs it. */
export function daemon(seconds: string): string {
  const closed = Array.from({ length: 10 }, (_, fd) => `${fd}>&-`).join(" ");
  return `env -i setsid sh -c 'exec ${closed}; cd /; sleep ${seconds} & exit'`;
}
