import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ErrorCode, IkigaiError } from "../errors.ts";
import type { TextContent, WriteOptions } from "../source/source.ts";

/** Tells the child which source to open, and over which storage. */
export interface Opening {
  readonly id: number;
  /** The address of the module that exports the source. */
  readonly module: string;
  readonly name: string;
  readonly options: unknown;
}

/** Tells the child what to do with the source. */
export interface Request {
  readonly id: number;
  readonly method: "read" | "write" | "count" | "create" | "remove";
  readonly args: readonly unknown[];
}

/** Answer of the other process to one request. `started`: the first step of a contest is done, the rest follows. */
export interface Answer {
  readonly id: number;
  readonly started?: true;
  readonly value?: unknown;
  readonly error?: string;
  readonly code?: ErrorCode;
}

/** What another process did in a contest, and when it had begun. */
export interface Contest<T> {
  readonly started: Promise<void>;
  readonly done: Promise<T>;
}

/** The same storage, seen from another process. */
export interface OtherProcess {
  read(path: string): Promise<TextContent | undefined>;
  write(path: string, text: string, options?: WriteOptions): Promise<TextContent>;
  count(path: string, times: number): Contest<number>;
  create(paths: readonly string[], by: string): Contest<string[]>;
  remove(versions: Readonly<Record<string, string>>, by: string): Contest<string[]>;
}

interface Waiting {
  readonly started: () => void;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Tests of this package run on its sources; a child process runs what was built of them. */
const WORKER = import.meta.url.endsWith(".ts")
  ? new URL("../../dist/testing/other-process-worker.js", import.meta.url)
  : new URL("other-process-worker.js", import.meta.url);

/**
 * Starts a process that opens the source `name` of `module` with `options`.
 *
 * Contract: rejects when it cannot be opened there; ended when `ended` aborts. Options are passed as a structured clone.
 */
export async function openOtherProcess(opening: Omit<Opening, "id">, ended: AbortSignal): Promise<OtherProcess> {
  const child = fork(fileURLToPath(WORKER), {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  const end = (): void => void child.kill("SIGKILL");
  ended.addEventListener("abort", end, { once: true });
  if (ended.aborted) end();
  child.on("message", (answer: Answer) => settle(waiting, answer));
  child.on("exit", (code, signal) => {
    const error = new Error(`the other process ended (${signal ?? code})`);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });

  function ask<T>(message: Omit<Opening, "id"> | Omit<Request, "id">): Contest<T> {
    const id = ++ids;
    let started = (): void => {};
    const begun = new Promise<void>((resolve) => (started = resolve));
    const done = new Promise<T>((resolve, reject) => {
      waiting.set(id, { started, resolve, reject });
      // Without this callback, sending to a process that was just ended would fail our own process.
      child.send({ ...message, id }, (error) => {
        if (error === null) return;
        waiting.delete(id);
        reject(error);
      });
    });
    done.then(started, started);
    return { started: begun, done };
  }

  await ask(opening).done;
  const call = <T>(method: Request["method"], ...args: readonly unknown[]): Contest<T> => ask<T>({ method, args });
  return {
    read: (path) => call<TextContent | undefined>("read", path).done,
    write: (path, text, options) => call<TextContent>("write", path, text, options).done,
    count: (path, times) => call("count", path, times),
    create: (paths, by) => call("create", paths, by),
    remove: (versions, by) => call("remove", versions, by),
  };
}

function settle(waiting: Map<number, Waiting>, { id, started, value, error, code }: Answer): void {
  const one = waiting.get(id);
  if (started === true) return one?.started();
  waiting.delete(id);
  if (error === undefined) one?.resolve(value as never);
  else one?.reject(code === undefined ? new Error(`in the other process: ${error}`) : new IkigaiError(code, error));
}
