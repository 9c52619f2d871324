import { fork } from "node:child_process";
import { once } from "node:events";

/** A script in a process of some Node that does one task at a time and says how many microseconds it took. */
export interface NodeProcess<Task> {
  run(task: Task): Promise<number>;
  readonly pids: readonly number[];
  close(): Promise<void>;
}

/** Contract: resolves when the script has said that it is ready; `run` rejects with what went wrong there. */
export async function startNodeProcess<Task extends object>(
  execPath: string,
  script: string,
  args: readonly string[],
): Promise<NodeProcess<Task>> {
  const child = fork(script, args, { execPath, execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const answer = async (): Promise<number> => {
    const [said] = (await Promise.race([once(child, "message"), ended.then(() => [{ error: `${script} ended` }])])) as [
      { took: number } | { error: string },
    ];
    if ("error" in said) throw new Error(said.error);
    return said.took;
  };
  await answer();
  return {
    async run(task) {
      const took = answer();
      child.send(task);
      return took;
    },
    pids: child.pid === undefined ? [] : [child.pid],
    async close() {
      child.kill();
      await ended;
    },
  };
}
