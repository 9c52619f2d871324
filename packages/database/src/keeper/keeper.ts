import { statSync } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { ensureData } from "./create-data.ts";
import { createService, FOLDER_GONE } from "./serve.ts";
import { socketFolder, socketPath } from "./socket.ts";
import { type Claim, claimStore, releaseStore } from "./store-lock.ts";
import { syncTree } from "./sync-tree.ts";
import { startWatchdog } from "./watchdog.ts";

/** What a keeper is told when it starts. */
export interface KeeperOptions {
  /** The store's folder, absolute. */
  readonly store: string;
  /** Ends after this long without a client, in milliseconds. */
  readonly idleMs: number;
  readonly durable: boolean;
  /** Ends when one statement takes longer, in milliseconds. */
  readonly statementLimitMs: number;
  readonly idleInTransactionMs: number;
  /** Where an untouched data directory is kept to copy from. */
  readonly template?: string;
}

const SHUTTING_DOWN = "57P01";
/** How long a keeper that nobody asks anything may sit in a folder that is gone. */
const LOOK_EVERY_MS = 1_000;
/** The state clients get when trying again is of no use. */
export const CANNOT_OPEN = "58000";

/**
 * Owns a store for as long as somebody uses it. This and nothing else opens the store's data directory.
 *
 * Contract: resolves at once when another keeper has the store; otherwise serves until it is idle or told to end
 * (SIGTERM, SIGINT), and then ends the process. Once its folder is gone it acknowledges nothing and ends at once.
 */
export async function runKeeper(options: KeeperOptions): Promise<void> {
  const { store } = options;
  await mkdir(store, { recursive: true, mode: 0o700 });
  await chmod(store, 0o700);
  const watchdog = startWatchdog(options.statementLimitMs);
  let close: (() => Promise<void>) | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let clients = 0;
  let ending = false;
  let intact = (): boolean => true;

  function awaitClients(): void {
    clearTimeout(idleTimer);
    if (clients === 0) idleTimer = setTimeout(() => void end("the keeper was idle"), options.idleMs);
  }

  const service = createService({
    idleInTransactionMs: options.idleInTransactionMs,
    onBusy: (busy) => watchdog.busy(busy),
    onBroken: (reason) => crash(reason),
    intact: () => intact(),
    onClients(count) {
      clients = count;
      awaitClients();
    },
  });

  const port = randomPort();
  const socket = socketPath(socketFolder(store), port);
  const server = await listen(socket, (client) => service.accept(client));
  const claim = await claimStore(store, port, options.durable);
  if (!claim.own) return leave(server, socket);

  async function end(reason: string): Promise<void> {
    if (ending) return;
    ending = true;
    service.end(SHUTTING_DOWN, reason);
    // While the engine is being opened it cannot be closed, only left; the record then speaks of a dead process.
    if (close === undefined) process.exit(0);
    await close();
    await finish(store, claim, socket);
  }

  awaitClients();
  process.on("SIGTERM", () => void end("the keeper was told to end"));
  process.on("SIGINT", () => void end("the keeper was told to end"));
  try {
    const { openEngine } = await import("./engine.ts");
    const data = await ensureData(store, options);
    // What was written without syncing must be on the disk before anything relies on it.
    if (options.durable && claim.previous?.durable === false) await syncTree(data);
    const engine = await openEngine(data, { durable: options.durable });
    close = () => engine.close();
    intact = sameFolder(data);
    setInterval(() => intact() || ending || crash(FOLDER_GONE), LOOK_EVERY_MS).unref();
    service.start(engine);
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    service.end(CANNOT_OPEN, `the store could not be opened: ${String(error)}`);
    await finish(store, claim, socket);
  }
}

/** Tells whether a path still leads to the folder that it leads to now. */
function sameFolder(path: string): () => boolean {
  const inodeOf = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
  const inode = inodeOf();
  return () => inodeOf() === inode;
}

/** The engine's memory cannot be trusted any more. What it committed is in its log, and the next keeper reads that. */
function crash(reason: string): never {
  process.stderr.write(`${reason}: ending\n`);
  process.kill(process.pid, "SIGKILL");
  throw new Error(reason);
}

/** The socket listens until the process ends: as long as it does, nobody takes the store. */
async function finish(store: string, claim: Claim, socket: string): Promise<never> {
  await releaseStore(store, claim);
  await rm(socket, { force: true });
  process.exit(0);
}

async function leave(server: Server, socket: string): Promise<void> {
  server.close();
  await rm(socket, { force: true });
  process.exit(0);
}

function listen(path: string, onClient: (client: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("connection", onClient);
    server.on("error", reject);
    // The folder is closed to others; the mask closes the socket too, from its first moment.
    const mask = process.umask(0o177);
    server.listen(path, () => resolve(server));
    process.umask(mask);
  });
}

function randomPort(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
