import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";

/** What one actor does in a schedule. */
export interface Act {
  readonly name: "append" | "appendTwice" | "overwrite" | "create" | "remove" | "read" | "list" | "person";
  /** The line that it writes. */
  readonly line?: string;
  readonly way?: "in-place" | "rename" | "held-up";
}

export interface Role {
  readonly act: Act;
  /** Whether opening the source is part of the schedule too, with its look at what dead processes left. */
  readonly opensInTurn?: boolean;
  /** Runs alone, before everybody else, and is killed at this system call. */
  readonly killedAt?: number;
}

export interface Scenario {
  /** What the file holds at first. Absent: there is no file. */
  readonly initial?: string;
  /** Whether saves have met on the file lately. */
  readonly contended: boolean;
  readonly roles: readonly Role[];
}

/** What an actor says at the end. */
export interface Outcome {
  readonly text?: string;
  readonly base?: string;
  readonly seen?: string | null;
  readonly listed?: readonly string[];
  readonly both?: readonly Outcome[];
  readonly absent?: boolean;
  readonly refused?: string;
  readonly message?: string;
  readonly killed?: boolean;
}

export interface Step {
  readonly actor: number;
  readonly what: string;
  /** Who could have gone on. */
  readonly enabled: readonly number[];
}

export interface Ran {
  readonly steps: readonly Step[];
  readonly outcomes: readonly Outcome[];
  /** The changes that each actor's journal has as made or announced, oldest first. */
  readonly journals: readonly (readonly JournalEntry[])[];
  /** The files at the end, those of ours included. */
  readonly files: ReadonlyMap<string, string>;
  readonly locks: readonly string[];
}

export interface JournalEntry {
  readonly state: string;
  readonly before?: { readonly text: string };
  readonly after?: { readonly text: string };
}

/** Picks who goes on: one of `enabled`, given who went last and what each actor is about to do. Contract: absent for one that has ended. */
export type Choose = (
  enabled: readonly number[],
  last: number | undefined,
  step: number,
  about: readonly (string | undefined)[],
) => number;

interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly place: string;
}

/** What the scheduler uses of the built source. */
interface BuiltSource {
  readonly currentOwner: () => Owner;
  readonly createContention: (folder: string) => { met(path: string): void };
}

interface Actor {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** A process that stands for the actor: while it lives, so does the owner of the actor's files. */
  readonly body: ChildProcess;
  readonly owner: Owner;
  readonly control: Int32Array;
  readonly words: Uint8Array;
}

const TURN = 0;
const STATUS = 1;
const LENGTH = 2;
const ASKING = 1;
const IDLE = 2;
const GO = 1;
const DIE = 2;
const MOST_STEPS = 20_000;
const STUCK_MS = 100_000;

const dist = (name: string): string => new URL(`../../packages/${name}/dist/`, import.meta.url).href;

/** Runs savers, readers and persons in an order that is chosen step by step, on a real folder. */
export interface Scheduler extends AsyncDisposable {
  run(scenario: Scenario, choose: Choose): Ran;
}

/** Contract: dispose it, or its threads keep the process alive. */
export async function createScheduler(actors: number): Promise<Scheduler> {
  const base = mkdtempSync(`${tmpdir()}/ikigai-schedule-`);
  const { currentOwner, createContention } = await loadBuilt();
  const { place } = currentOwner();
  const deadOwner = { pid: 2 ** 22 + 1, start: "1", place };
  const crew = await Promise.all(Array.from({ length: actors }, () => startActor(place)));

  let runs = 0;

  function run(scenario: Scenario, choose: Choose): Ran {
    // Names of one form: how often the source looks for another spelling of a name depends on its letters.
    runs++;
    const root = `${base}/root-${runs}`;
    const locks = `${base}/locks-${runs}`;
    mkdirSync(`${root}/folder`, { recursive: true });
    mkdirSync(locks);
    if (scenario.initial !== undefined) writeFileSync(`${root}/a.md`, scenario.initial);
    if (scenario.contended) createContention(locks).met(`${root}/a.md`);
    const steps: Step[] = [];
    const begin = (at: number): void => {
      const { act, opensInTurn, killedAt } = scenario.roles[at];
      const actor = crew[at];
      Atomics.store(actor.control, STATUS, 0);
      const owner = killedAt === undefined ? actor.owner : deadOwner;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
      actor.port.postMessage({ root, locks, owner, act, opensInTurn });
      settle(actor);
    };
    for (const [at, { killedAt }] of scenario.roles.entries()) {
      if (killedAt === undefined) continue;
      begin(at);
      runAlone(at, killedAt, steps);
    }
    for (const [at, { killedAt }] of scenario.roles.entries()) if (killedAt === undefined) begin(at);
    interleave(scenario.roles.length, choose, steps);
    const ends = scenario.roles.map((_, at) => receive(crew[at]));
    const files = new Map(
      readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => [name, readFileSync(`${root}/${name}`, "utf8")]),
    );
    const left = readdirSync(locks).filter((name) => !name.endsWith(".busy"));
    rmSync(root, { recursive: true });
    rmSync(locks, { recursive: true });
    return {
      steps,
      files,
      locks: left,
      outcomes: ends.map(({ result }) => result),
      journals: ends.map(({ entries }) => entries.toReversed()),
    };
  }

  function runAlone(at: number, killedAt: number, steps: Step[]): void {
    const actor = crew[at];
    for (let step = 0; isAsking(actor); step++) {
      steps.push({ actor: at, what: wordsOf(actor), enabled: [at] });
      grant(actor, step === killedAt ? DIE : GO);
    }
  }

  function interleave(count: number, choose: Choose, steps: Step[]): void {
    /** Who waits for another actor to do something first. */
    const paused = new Set<number>();
    let last: number | undefined;
    for (let step = 0; ; step++) {
      const asking = Array.from({ length: count }, (_, at) => at).filter((at) => isAsking(crew[at]));
      if (asking.length === 0) return;
      if (step > MOST_STEPS) throw new Error(`no end after ${MOST_STEPS} steps:\n${format(steps.slice(-60))}`);
      const ready = asking.filter((at) => !paused.has(at));
      const enabled = ready.length > 0 ? ready : asking;
      const about = Array.from({ length: count }, (_, one) => (asking.includes(one) ? wordsOf(crew[one]) : undefined));
      const at = choose(enabled, last, step, about);
      // An actor that has ended would never take its turn.
      if (!enabled.includes(at))
        throw new Error(`actor ${at} cannot go on in step ${step}, only ${enabled.join()} can`);
      const actor = crew[at];
      const what = wordsOf(actor);
      steps.push({ actor: at, what, enabled });
      if (what === "pause") paused.add(at);
      else paused.clear();
      grant(actor, GO);
      last = at;
    }
  }

  return {
    run,
    async [Symbol.asyncDispose]() {
      for (const { body } of crew) body.kill();
      await Promise.all(crew.map(({ worker }) => worker.terminate()));
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function loadBuilt(): Promise<BuiltSource> {
  const [owner, contention] = await Promise.all([
    import(`${dist("source-file")}lock/owner.js`) as Promise<Pick<BuiltSource, "currentOwner">>,
    import(`${dist("source-file")}save/contention.js`) as Promise<Pick<BuiltSource, "createContention">>,
  ]);
  return { ...owner, ...contention };
}

async function startActor(place: string): Promise<Actor> {
  const shared = new SharedArrayBuffer(16);
  const text = new SharedArrayBuffer(4_096);
  const { port1: port, port2 } = new MessageChannel();
  const worker = new Worker(fileURLToPath(new URL("actor.mjs", import.meta.url)), {
    workerData: {
      shared,
      text,
      port: port2,
      sourceFile: `${dist("source-file")}open-file-source.js`,
      memory: `${dist("memory")}index.js`,
    },
    transferList: [port2],
  });
  worker.on("error", (error) => process.stderr.write(`${String(error)}\n`));
  const body = spawn("sleep", ["3600"], { stdio: "ignore" });
  const pid = body.pid ?? 0;
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  const actor = {
    worker,
    port,
    body,
    owner: { pid, start, place },
    control: new Int32Array(shared),
    words: new Uint8Array(text),
  };
  settle(actor);
  return actor;
}

/** Waits until the actor asks for its next call or has ended. */
function settle({ control }: Actor): void {
  for (;;) {
    const status = Atomics.load(control, STATUS);
    if (status === ASKING || status === IDLE) return;
    if (Atomics.wait(control, STATUS, status, STUCK_MS) === "timed-out") throw new Error("an actor is stuck");
  }
}

function grant(actor: Actor, how: number): void {
  Atomics.store(actor.control, STATUS, 0);
  Atomics.store(actor.control, TURN, how);
  Atomics.notify(actor.control, TURN);
  settle(actor);
}

function isAsking({ control }: Actor): boolean {
  return Atomics.load(control, STATUS) === ASKING;
}

function wordsOf({ control, words }: Actor): string {
  return Buffer.from(words.slice(0, Atomics.load(control, LENGTH))).toString();
}

function receive({ port }: Actor): { result: Outcome; entries: JournalEntry[] } {
  const received: { message: unknown } | undefined = receiveMessageOnPort(port);
  if (received === undefined) throw new Error("an actor ended without a word");
  return received.message as never;
}

/** The steps of a schedule, one a line, for whoever looks into a failure. */
export function format(steps: readonly Step[]): string {
  return steps.map(({ actor, what }) => `${" ".repeat(4 * actor)}${actor}: ${what}`).join("\n");
}
