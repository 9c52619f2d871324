import { spawn } from "node:child_process";
import { mkdirSync, openSync, closeSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { KeeperOptions } from "../keeper/keeper.ts";
import { type Claim, type Holder, holderState, readClaim } from "../keeper/store-lock.ts";
import { isStopped, whileRunning } from "./stopped-keeper.ts";

const LOOK_EVERY_MS = 20;
const LOG = "keeper.log";

/** Resolves with a keeper that was stopped, once it goes on. */
function untilGoesOn(holder: Holder): () => Promise<Holder> {
  return async () => {
    while (isStopped(holder)) await delay(LOOK_EVERY_MS);
    return holder;
  };
}

/**
 * The keeper of a store, started when there is none.
 *
 * Contract: whoever asks at the same time gets the same keeper. Rejects with `unavailable` when none answers within
 * `withinMs`, when it is stopped, and when the store is held on another machine, naming the holder.
 */
export async function reachKeeper(options: KeeperOptions, withinMs: number): Promise<Holder> {
  const deadline = performance.now() + withinMs;
  mkdirSync(options.store, { recursive: true, mode: 0o700 });
  let starting: { ended: boolean } | undefined;
  for (;;) {
    const claim = await readClaim(options.store);
    if (claim !== undefined) {
      const state = await holderState(options.store, claim.holder);
      if (state === "alive" && !isStopped(claim.holder)) return claim.holder;
      if (state === "alive") return whileRunning(options.store, claim.holder, untilGoesOn(claim.holder), () => {});
      if (state === "elsewhere") throw heldElsewhere(options.store, claim);
    }
    if (performance.now() > deadline) throw notStarted(options.store, withinMs);
    if (starting === undefined || starting.ended) starting = startKeeper(options);
    await delay(LOOK_EVERY_MS);
  }
}

/** Who has a store now; absent when nobody does. */
export async function findKeeper(store: string): Promise<Holder | undefined> {
  const claim = await readClaim(store).catch(() => undefined);
  if (claim === undefined || (await holderState(store, claim.holder)) === "dead") return undefined;
  return claim.holder;
}

/** Tells the keeper of a store to end, and waits until it has. Contract: resolves also when there is none. */
export async function stopKeeper(store: string): Promise<void> {
  const holder = await findKeeper(store);
  if (holder === undefined) return;
  process.kill(holder.pid, "SIGTERM");
  while ((await findKeeper(store))?.pid === holder.pid) await delay(LOOK_EVERY_MS);
}

/** The keeper outlives whoever starts it, and inherits nothing but the log. */
function startKeeper(options: KeeperOptions): { ended: boolean } {
  const entry = createRequire(import.meta.url).resolve("@ikigai/database/keeper");
  const log = openSync(join(options.store, LOG), "a", 0o600);
  const state = { ended: false };
  try {
    const child = spawn(process.execPath, [entry, JSON.stringify(options)], {
      cwd: options.store,
      detached: true,
      stdio: ["ignore", log, log],
      env: { PATH: process.env["PATH"] ?? "" },
    });
    child.on("exit", () => void (state.ended = true));
    child.on("error", () => void (state.ended = true));
    child.unref();
  } finally {
    closeSync(log);
  }
  return state;
}

function heldElsewhere(store: string, { number, holder }: Claim): IkigaiError {
  const where = holder.host.split("/")[0];
  return new IkigaiError("unavailable", `The store ${store} is held by process ${holder.pid} on "${where}"`, {
    hint: `Use a database server to share it, or, when that machine is gone, remove keeper-${number}.json.`,
    details: { pid: holder.pid, host: where, since: holder.since },
  });
}

function notStarted(store: string, withinMs: number): IkigaiError {
  const lines = readFileSync(join(store, LOG), "utf8").trim().split("\n");
  return new IkigaiError("unavailable", `The store ${store} could not be started within ${withinMs} ms`, {
    hint: `Try again when the machine is less busy. What its process said is in ${join(store, LOG)}.`,
    details: { log: lines.slice(-5) },
  });
}
