/// <reference types="node" preserve="true" />
import { execFile, spawn } from "node:child_process";
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { constants as os } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { IkigaiError } from "@ikigai/core";
import {
  type Family,
  findFamily,
  markedCommand,
  programFile,
  type ProcessMark,
  processTime,
  sweep,
  systemProgram,
} from "@ikigai/core/process";
import type { OutputCapture } from "./output-capture.ts";

export interface CommandSpec {
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Marker in the environment of every process of the command, and in the name of the files they inherit. */
  readonly marker: string;
  /** Inherited by every process of the command. Absent where there are none. */
  readonly mark?: ProcessMark | undefined;
  /** An empty folder of its own. */
  readonly folder: string;
  readonly capture: OutputCapture;
  readonly onOutput: (chunk: Buffer) => void;
}

export interface CommandExit {
  /** Exit code as a shell would give it: 128 plus the signal's number for a command that was killed. */
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
  /** Processes it started that still run. */
  readonly stillRunning: number;
}

export interface RunningCommand {
  readonly pid: number;
  /** Resolves when the shell has ended and what it printed was taken in. Never waits for what it left behind. */
  readonly exited: Promise<CommandExit>;
  /** Lets this process end although the command still runs; the watchdog ends it then. */
  detach(): void;
  /** Number of the command's processes that still run. */
  count(): number;
  /** Ends all of them. Resolves to those that could not be ended. */
  kill(): Promise<readonly number[]>;
}

/** The descriptor by which a process is known whose environment and output were replaced. */
const MARKER_NAME = "inherited";
const DRAIN_IDLE_MS = 100;
const DRAIN_MS = 700;
const run = promisify(execFile);

/**
 * Starts a command in a session of its own, without input, with one pipe for all it prints.
 *
 * The pipe is a named one: what Node makes itself is a socket, which `> /dev/stderr` cannot open.
 */
export async function runCommand(spec: CommandSpec): Promise<RunningCommand> {
  const shell = programFile(spec.shell);
  const pipes = await openPipes(spec);
  const since = processTime();
  const [file, args] = markedCommand(spec.mark, shell, [...startUpFlags(spec.shell), "-c", spec.command]);
  const child = spawn(file, args, {
    cwd: spec.cwd,
    detached: true,
    env: spec.environment,
    stdio: ["ignore", pipes.write, pipes.write, pipes.marker],
  });
  closeSync(pipes.write);
  closeSync(pipes.marker);
  const socket = new Socket({ fd: pipes.read, readable: true, writable: false });
  const { pid } = child;
  if (pid === undefined) {
    const cause = await new Promise<Error>((resolve) => child.once("error", resolve));
    socket.destroy();
    throw new IkigaiError("unavailable", `The shell could not be started: ${cause.message}`, {
      hint: "Check that bash is installed and that processes may still be started.",
      cause,
    });
  }

  let lastData = performance.now();
  let leader: number | undefined = pid;
  const drained = takeIn();

  async function takeIn(): Promise<void> {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      lastData = performance.now();
      spec.onOutput(chunk);
      await spec.capture.add(chunk);
      lastData = performance.now();
    }
  }

  const exited = new Promise<CommandExit>((resolve) => {
    child.once("exit", (code, signal) => {
      void drain(drained, () => lastData).then(() => {
        const stillRunning = findFamily(family()).length;
        leader = undefined;
        // Processes that a command left behind must not keep this process from ending.
        socket.unref();
        resolve({
          exitCode: code ?? 128 + os.signals[signal as NodeJS.Signals],
          ...(signal !== null && { signal }),
          stillRunning,
        });
      });
    });
  });

  const family = (): Family => ({
    marker: spec.marker,
    since,
    ...(spec.mark !== undefined && { marks: [spec.mark] }),
    ...(leader !== undefined && { leader }),
  });
  return {
    pid,
    exited,
    detach() {
      child.unref();
      socket.unref();
    },
    count: () => findFamily(family()).length,
    kill: () => sweep(family()),
  };
}

/** Bash reads ~/.bashrc even for a command when it takes its input for a network connection. */
function startUpFlags(shell: string): readonly string[] {
  return basename(shell) === "bash" ? ["--noprofile", "--norc"] : [];
}

/** Waits for the end of the output, or until nothing more comes. */
async function drain(drained: Promise<void>, lastData: () => number): Promise<void> {
  const started = performance.now();
  let over = false;
  void drained.then(() => (over = true));
  for (;;) {
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, 10))]);
    const now = performance.now();
    if (over || now - started > DRAIN_MS || now - Math.max(started, lastData()) > DRAIN_IDLE_MS) return;
  }
}

async function openPipes({ folder, marker }: CommandSpec): Promise<{ read: number; write: number; marker: number }> {
  const own = join(folder, marker);
  await mkdir(own, { mode: 0o700 });
  const fifo = join(own, "output");
  try {
    await run(systemProgram("mkfifo"), ["-m", "600", fifo], { env: {} });
    const read = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(fifo, constants.O_WRONLY);
    writeFileSync(join(own, MARKER_NAME), "");
    return { read, write, marker: openSync(join(own, MARKER_NAME), "r") };
  } catch (cause) {
    throw new IkigaiError("unavailable", "No pipe could be made for the command's output", { cause });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
