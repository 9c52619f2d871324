import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Machine, processStart, thisMachine } from "./machine.ts";
import { probeSocket, socketPath } from "./socket.ts";

/** Who has a store, as written in its folder. */
export interface Holder extends Machine {
  readonly pid: number;
  readonly started: string;
  /** Names the socket. */
  readonly port: number;
  readonly since: string;
  readonly durable: boolean;
  /** Whether it let go of the store in good order. */
  readonly released: boolean;
}

/** A record in the folder, and the claim it stands for. A higher number was claimed later. */
export interface Claim {
  readonly number: number;
  readonly holder: Holder;
}

export interface ClaimOutcome extends Claim {
  /** Whether it is the claim of this process. */
  readonly own: boolean;
  /** Who had the store before. */
  readonly previous?: Holder;
}

export type HolderState =
  /** It answers, or at least it runs. */
  | "alive"
  | "dead"
  /** It runs, or ran, on a machine that this one cannot see. */
  | "elsewhere";

const RECORD = /^keeper-(\d+)\.json$/;

/**
 * Claims a store for this process, whose socket must already listen.
 *
 * Contract: resolves to the own claim, or to the claim of another that is alive or elsewhere. A record is never
 * replaced, only followed by one with the next number, which a single process can create; so of many that see a dead
 * holder exactly one succeeds it, and a live one is never succeeded.
 */
export async function claimStore(store: string, port: number, durable: boolean): Promise<ClaimOutcome> {
  for (;;) {
    const top = await readClaim(store);
    if (top !== undefined && (await holderState(store, top.holder)) !== "dead") return { ...top, own: false };
    const number = (top?.number ?? 0) + 1;
    const holder = describeSelf(port, durable);
    if (!(await createRecord(store, number, holder))) continue;
    // Somebody slow may repeat a number that has come and gone: then there is a higher one.
    const numbers = await listNumbers(store);
    if (numbers.some((other) => other > number)) {
      await rm(recordPath(store, number), { force: true });
      continue;
    }
    await sweep(store, number, numbers, port);
    return { number, holder, own: true, ...(top !== undefined && { previous: top.holder }) };
  }
}

/** Says in the record that the store is free. */
export async function releaseStore(store: string, { number, holder }: Claim): Promise<void> {
  const temporary = join(store, `keeper.${randomUUID()}.tmp`);
  await writeFile(temporary, JSON.stringify({ ...holder, released: true }), { mode: 0o600 });
  await rename(temporary, recordPath(store, number));
}

/** The latest claim, dead or alive; absent in a store that nobody ever opened. */
export async function readClaim(store: string): Promise<Claim | undefined> {
  for (;;) {
    const number = (await listNumbers(store)).at(-1);
    if (number === undefined) return undefined;
    try {
      return { number, holder: parseHolder(await readFile(recordPath(store, number), "utf8")) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

/** Whether the process behind a record still has the store. */
export async function holderState(store: string, holder: Holder): Promise<HolderState> {
  if (holder.released) return "dead";
  const here = thisMachine();
  const sameKernel = holder.host === here.host || (here.boot !== "" && holder.boot === here.boot);
  if (!sameKernel) return "elsewhere";
  if (await probeSocket(store, holder.port)) return "alive";
  const sameBoot = holder.boot === here.boot && holder.processSpace === here.processSpace;
  return sameBoot && processStart(holder.pid) === holder.started ? "alive" : "dead";
}

function describeSelf(port: number, durable: boolean): Holder {
  return {
    ...thisMachine(),
    pid: process.pid,
    started: processStart(process.pid) ?? "",
    port,
    since: new Date().toISOString(),
    durable,
    released: false,
  };
}

/** Contract: false when the number is taken; the record appears with its whole content. */
async function createRecord(store: string, number: number, holder: Holder): Promise<boolean> {
  const temporary = join(store, `keeper.${randomUUID()}.tmp`);
  await writeFile(temporary, JSON.stringify(holder), { mode: 0o600 });
  try {
    await link(temporary, recordPath(store, number));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes what dead holders left. */
async function sweep(store: string, own: number, numbers: readonly number[], port: number): Promise<void> {
  for (const number of numbers.filter((other) => other < own)) {
    const text = await readFile(recordPath(store, number), "utf8").catch(() => "");
    const left = parseHolder(text).port;
    if (left !== port) await rm(socketPath(store, left), { force: true });
    await rm(recordPath(store, number), { force: true });
  }
}

async function listNumbers(store: string): Promise<number[]> {
  const names = await readdir(store);
  const numbers = names.flatMap((name) => RECORD.exec(name)?.[1] ?? []).map(Number);
  return numbers.toSorted((a, b) => a - b);
}

function recordPath(store: string, number: number): string {
  return join(store, `keeper-${number}.json`);
}

/** A record appears complete, so one that cannot be read was cut by a power failure: its writer is gone. */
function parseHolder(text: string): Holder {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return { ...thisMachine(), pid: 0, started: "", port: 0, since: "", durable: false, released: true };
  }
}
