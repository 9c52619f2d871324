import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope } from "@ikigai/core";
import {
  type AnySourceDefinition,
  type CallOptions,
  createPolicy,
  createSourceManager,
  createToolRegistry,
  type ToolRegistry,
  type Policy,
  type SourceManager,
} from "@ikigai/core/host";
import { createBashJobsTool } from "../bash/bash-jobs-tool.ts";
import { createBashTool } from "../bash/bash-tool.ts";
import { createGlobTool } from "../search/glob-tool.ts";
import { createGrepTool } from "../search/grep-tool.ts";
import { createJobs, type Jobs, type JobsOptions } from "../run/jobs.ts";
import type { SaveTraces } from "@ikigai/core/host";
import { localFolder, readableFolder } from "./local-folder.ts";

export interface TestHost extends AsyncDisposable {
  readonly root: string;
  readonly jobs: Jobs;
  readonly sources: SourceManager;
  readonly registry: ToolRegistry;
  call(name: string, input: unknown, options?: CallOptions): Promise<Envelope>;
  /** The data of a call that must succeed. */
  data(name: string, input: unknown, options?: CallOptions): Promise<Record<string, unknown>>;
}

/** A workspace in a new folder with every tool of this package. Everything is allowed unless a policy is given. */
export async function openTestHost(
  options: {
    readonly mounts?: Readonly<Record<string, AnySourceDefinition>>;
    readonly policy?: (sources: SourceManager) => Policy;
    readonly jobs?: Partial<JobsOptions>;
    readonly searchMs?: number;
    /** Then the workspace can be read and listed too. */
    readonly saves?: SaveTraces;
  } = {},
): Promise<TestHost> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "shell-test-")));
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: (options.saves === undefined ? localFolder : readableFolder)(root) });
  for (const [mount, source] of Object.entries(options.mounts ?? {})) await sources.mount({ mount, source });
  const jobs = createJobs({ root, ...options.jobs });
  const registry = createToolRegistry({ policy: options.policy?.(sources) ?? createPolicy({ mode: () => "all" }) });
  const { searchMs, saves } = options;
  const search = { sources, ...(searchMs !== undefined && { timeoutMs: searchMs }), ...(saves && { saves }) };
  registry.register([
    createBashTool({ jobs, sources }),
    createBashJobsTool(jobs),
    createGrepTool(search),
    createGlobTool(search),
  ]);
  const call = (name: string, input: unknown, callOptions: CallOptions = {}): Promise<Envelope> =>
    registry.call({ name, arguments: input }, callOptions);
  return {
    root,
    jobs,
    sources,
    registry,
    call,
    async data(name, input, callOptions) {
      const envelope = await call(name, input, callOptions);
      if (!envelope.success) throw new Error(JSON.stringify(envelope));
      return envelope.data as Record<string, unknown>;
    },
    async [Symbol.asyncDispose]() {
      await jobs.close();
      await sources.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
