import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Host } from "@ikigai/host";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import { resolveSettings, type Settings } from "../settings.ts";
import { createTerminal } from "../terminal/terminal.ts";
import { openWorkspace, type Ran, type RunOptions } from "./open-workspace.ts";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/** A workspace with sources beside its files: `db` in SQLite, `kv` in one JSON file, `repo` in git. */
export interface MountedWorkspace extends AsyncDisposable {
  readonly root: string;
  readonly store: string;
  /** Where the user's configuration stands, and what it names is looked for. */
  readonly configFolder: string;
  /** A run of the command line. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The host that tools are called in. Contract: the same until `restart`. */
  host(): Promise<Host>;
  readonly settings: Settings;
  /** Closes the host; the next call opens another one, as a new process would. */
  restart(): Promise<void>;
  /** What the operator was told. */
  readonly complaints: string[];
  /** Calls a tool with every approval. Gives the data, or throws with the whole answer. */
  tool(name: string, input: object): Promise<Record<string, unknown>>;
  /** Calls a tool with every approval. Gives the envelope. */
  call(name: string, input: object): Promise<Record<string, unknown>>;
  git(...args: readonly string[]): string;
  configure(config: object): Promise<void>;
}

/** The sources of the configuration, with all that a configuration may say besides. */
export async function openMountedWorkspace(more: object = {}): Promise<MountedWorkspace> {
  const { root, store, run, close } = await openWorkspace();
  const configFolder = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai");
  const modules = join(configFolder, "node_modules/@ikigai");
  await mkdir(modules, { recursive: true });
  for (const name of ["source-sqlite", "source-git", "source-cron"]) {
    await symlink(join(repository, "packages", name), join(modules, name));
  }
  await symlink(join(repository, "examples/01-json-source"), join(modules, "example-json-source"));
  const data = join(root, ".sources");
  await mkdir(data);
  const work = join(data, "work");
  await mkdir(work);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], {
      cwd: work,
      encoding: "utf8",
    });
  git("init", "--quiet", "--initial-branch=main");
  await writeFile(join(work, "Plan.md"), "first\n");
  git("add", ".");
  git("commit", "--quiet", "--message=Begin the plan");
  const configure = async (config: object): Promise<void> => {
    const sources = [
      { use: "@ikigai/source-sqlite", mount: "db", options: { file: join(data, "d.db"), create: true } },
      { use: "@ikigai/example-json-source", mount: "kv", options: { file: join(data, "kv.json") } },
      { use: "@ikigai/source-git", mount: "repo", options: { repository: work } },
    ];
    await writeFile(join(configFolder, "ikigai.config.json"), JSON.stringify({ sources, ...config }));
  };
  await configure(more);
  const settings = resolveSettings({ root, store, approve: "all" });
  const complaints: string[] = [];
  let opened: Promise<Host> | undefined;
  const host = (): Promise<Host> =>
    (opened ??= openTerminalHost(settings, {
      ...createTerminal(true),
      complain: (line) => void complaints.push(line),
    }));
  const restart = async (): Promise<void> => {
    const closing = opened;
    opened = undefined;
    await (await closing)?.close();
  };
  const call = async (name: string, input: object): Promise<Record<string, unknown>> => ({
    ...(await (await host()).registry.call({ name, arguments: input })),
  });
  return {
    root,
    store,
    configFolder,
    run,
    host,
    settings,
    restart,
    complaints,
    call,
    async tool(name, input) {
      const answer = await call(name, input);
      if (answer["success"] !== true) throw new Error(JSON.stringify(answer));
      return answer["data"] as Record<string, unknown>;
    },
    git,
    configure,
    async [Symbol.asyncDispose]() {
      await restart();
      await close();
    },
  };
}
