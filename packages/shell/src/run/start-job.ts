import { harmlessCommand } from "../command/harmless-command.ts";
import { createJob, type Job, type JobLists, type StartOptions } from "./job.ts";
import { createCapture } from "./output-capture.ts";
import { createNotifier } from "./output-notifier.ts";
import { runCommand, type CommandSpec } from "./run-command.ts";

export interface JobPlace extends Pick<CommandSpec, "shell" | "environment" | "marker" | "mark" | "folder"> {
  readonly id: string;
  readonly root: string;
  /** Where its whole output is kept when it is long. */
  readonly outputFile: string;
  readonly maxOutputChars: number;
  readonly maxKeptBytes: number;
  readonly lists: JobLists;
}

/** Starts a command and lists it. */
export async function startJob(request: StartOptions, place: JobPlace): Promise<Job> {
  const { command, cwd } = request;
  const { agent } = request.actor;
  const { id, shell, root, environment, marker, mark, folder, maxOutputChars, lists } = place;
  const { running, jobs, log } = lists;
  const capture = createCapture({
    headBytes: Math.floor(maxOutputChars * 0.4),
    tailBytes: Math.floor(maxOutputChars * 0.5),
    file: place.outputFile,
    maxKeptBytes: place.maxKeptBytes,
  });
  const listed = { is: request.background };
  const notifier = createNotifier((text) => {
    request.onProgress?.(text);
    if (listed.is) log.add({ job: id, agent, kind: "output", text });
  });
  const harmless = await harmlessCommand(command, { root, cwd, environment });
  const started = await runCommand({
    shell,
    command: harmless.command,
    cwd,
    environment: { ...environment, ...harmless.environment },
    marker,
    mark,
    folder,
    capture,
    onOutput: (chunk) => notifier.add(chunk),
  });
  const job = createJob(id, request, { started, capture, notifier, maxOutputChars, listed, lists });
  running.add(job);
  if (request.background) {
    jobs.set(id, job);
    log.add({ job: id, agent, kind: "start", text: `${id} started: ${command}` });
    started.detach();
  }
  return job;
}
