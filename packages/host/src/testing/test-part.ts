import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { defineTool, type HostServices } from "@ikigai/core";
import {
  type AnyPart,
  createPolicy,
  createSeenVersions,
  createSourceManager,
  createToolRegistry,
  PART_CONTRACT,
  type PolicyLayer,
  type SourceManager,
  type ToolRegistry,
} from "@ikigai/core/host";
import { memorySource, recordingSource, type RegisterTest, undeclaredTouches } from "@ikigai/core/testing";
import { createCommands, createSlashCommandTool } from "@ikigai/memory";
import { z } from "zod";
import { type ChosenPart, type OpenParts, openParts, type PartFailure } from "../parts/open-parts.ts";

export interface PartSuite {
  readonly test: RegisterTest;
  readonly part: AnyPart;
  /** Makes the options of one case, as a user would write them. Default: none, which means the defaults. */
  readonly options?: () => unknown;
  /** Options that must be refused, and the key that is wrong with them, such as `limit`. */
  readonly badOptions?: { readonly options: unknown; readonly key: string };
  /** What other parts would offer. Give what the part needs. */
  readonly services?: () => HostServices;
  /** Texts that are in the workspace when a case begins. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Calls of its tools that succeed, whose declared effects are compared with what they touch. */
  readonly calls?: readonly {
    readonly name: string;
    readonly arguments: unknown;
    /** What it answers. Absent: whatever it is. */
    readonly data?: unknown;
  }[];
  /** Lines for its commands that succeed, such as `/words a.md`, whose declared effects are compared likewise. */
  readonly commands?: readonly {
    readonly line: string;
    /** What it prints. Absent: whatever it is. */
    readonly text?: string;
  }[];
}

/** What a case works with: a host with nothing in it but a workspace in memory. */
interface Bench {
  readonly registry: ToolRegistry;
  readonly sources: SourceManager;
  readonly commands: ReturnType<typeof createCommands>;
  readonly services: HostServices;
  readonly layers: PolicyLayer[];
  readonly warnings: string[];
  readonly workspace: Pick<ReturnType<typeof recordingSource>, "take">;
  open(options?: unknown): Promise<OpenParts>;
  openChosen(chosen: ChosenPart): Promise<OpenParts>;
}

const WORKSPACE = "file";
/** Handles need a moment to go. */
const LOOKS = 40;
const LOOK_AGAIN_MS = 25;

/**
 * Proves a part: registers one test for every promise of its contract.
 *
 * Contract: ids are permanent. Every case has a host of its own.
 */
export function testPart(suite: PartSuite): void {
  const { test, part, calls = [], badOptions } = suite;
  const define = (id: string, run: (bench: Bench) => Promise<void>): void => void test(id, () => withBench(suite, run));

  define("part/says-what-it-is", async () => {
    assert.equal(part.kind, "part");
    assert.equal(part.contract, PART_CONTRACT);
    assert.match(part.name, /^[a-z][a-z0-9-]*$/, "the name is lower-case, for it names a section of the configuration");
    const checked = await part.options["~standard"].validate({});
    assert.ok(suite.options !== undefined || checked.issues === undefined, "an absent section means the defaults");
  });

  define("part/opens-and-closes-again", async (bench) => {
    const before = standing(bench);
    for (let round = 0; round < 2; round++) {
      const opened = await bench.open();
      assert.deepEqual(opened.failures, []);
      await opened.close();
      assert.deepEqual(standing(bench), before, "closing withdraws everything");
      assert.deepEqual(bench.warnings, []);
    }
  });

  define("part/opens-as-a-whole-or-not-at-all", async (bench) => {
    const first = await bench.open();
    const [tool] = bench.registry.snapshot().cards;
    await first.close();
    if (tool === undefined) return;
    const taken = bench.registry.register([
      defineTool({
        name: tool.name,
        description: "Was here first.",
        input: z.object({}),
        effects: () => [],
        run: async () => ({}),
      }),
    ]);
    const before = standing(bench);
    const second = await bench.open();
    assert.equal(second.failures.length, 1, "a taken name of a tool leaves the part out");
    assert.deepEqual(standing(bench), before, "nothing of a part stays that was left out");
    await second.close();
    taken[Symbol.dispose]();
  });

  define("part/leaves-no-timer-and-no-handle", async (bench) => {
    const before = handles();
    const opened = await bench.open();
    const following = opened.follow();
    await following[Symbol.asyncDispose]();
    await opened.close();
    let left = extra(before);
    for (let look = 0; look < LOOKS && left.length > 0; look++) {
      await wait(LOOK_AGAIN_MS);
      left = extra(before);
    }
    assert.deepEqual(left, [], "timers, sockets and watchers are gone when the part is closed");
  });

  define("part/needs-are-said", async (bench) => {
    if ((part.needs ?? []).length === 0) return;
    for (const name of Object.keys(bench.services)) delete (bench.services as Record<string, unknown>)[name];
    const before = standing(bench);
    const opened = await bench.open();
    assert.deepEqual(opened.names, [], "without what it needs it is left out");
    assert.deepEqual(standing(bench), before);
  });

  if (badOptions !== undefined) {
    define("part/names-the-key-that-is-wrong", async (bench) => {
      const opened = await bench.open(badOptions.options);
      assert.equal(opened.failures.length, 1, "wrong options are refused");
      const { error = "" } = opened.failures[0] ?? {};
      assert.ok(error.includes(`${part.name}.${badOptions.key}`), `the message names the key: ${error}`);
    });
  }

  for (const [at, { data, ...call }] of calls.entries()) {
    define(`part/declares-its-effects ${at + 1} ${call.name}`, async (bench) => {
      const opened = await bench.open();
      const answered = await callDeclared(bench, call);
      if (data !== undefined) assert.deepEqual(answered, data);
      await opened.close();
    });
  }

  for (const [at, { line, text }] of (suite.commands ?? []).entries()) {
    define(`part/commands-declare-their-effects ${at + 1} ${line.split(" ")[0]}`, async (bench) => {
      const opened = await bench.open();
      const typed = createSlashCommandTool(bench.commands);
      using _ = bench.registry.register([typed]);
      const answered = await callDeclared(bench, { name: typed.name, arguments: { command: line } });
      if (text !== undefined) assert.equal((answered as { output?: string }).output, text);
      await opened.close();
    });
  }
}

/** Contract: gives the data of a call that succeeds and touches only what it declared. */
async function callDeclared(
  { registry, workspace }: Bench,
  call: { readonly name: string; readonly arguments: unknown },
): Promise<unknown> {
  const who = { agent: "default", conversation: "suite" };
  const plan = await registry.plan(call, who);
  workspace.take();
  const answer = await registry.call(call, who);
  assert.ok(answer.success, `the call succeeds: ${JSON.stringify(answer)}`);
  const declared = plan.verdicts.map(({ effect }) => effect);
  assert.deepEqual(undeclaredTouches(workspace.take(), declared, WORKSPACE), []);
  return answer.data;
}

/** Opens a part in a host of its own and closes it again. Contract: gives why it was left out; empty when it was not. */
export async function openAlone(chosen: ChosenPart): Promise<readonly PartFailure[]> {
  let failures: readonly PartFailure[] = [];
  await withBench({ test: () => {}, part: chosen.part }, async ({ openChosen }) => {
    const opened = await openChosen(chosen);
    failures = opened.failures;
    await opened.close();
  });
  return failures;
}

async function withBench(suite: PartSuite, run: (bench: Bench) => Promise<void>): Promise<void> {
  const stateDirectory = await mkdtemp(join(tmpdir(), "ikigai-part-"));
  const layers: PolicyLayer[] = [];
  const services: HostServices = suite.services?.() ?? {};
  const warnings: string[] = [];
  const registry = createToolRegistry({ policy: createPolicy({ layers, mode: () => "all" }) });
  const sources = createSourceManager({ registry, services });
  const commands = createCommands();
  const workspace = recordingSource(memorySource);
  await sources.mount({ mount: WORKSPACE, source: workspace.definition });
  const { source } = sources.routePrefix(`${WORKSPACE}:///`);
  for (const [path, text] of Object.entries(suite.texts ?? {})) await source.write?.(path, text, { expected: null });
  const host = {
    agent: "default",
    stateDirectory,
    seen: createSeenVersions(),
    onTextChange: () => ({ [Symbol.dispose]: () => {} }),
    shorten: <T>(tool: T): T => tool,
    warn: (message: string) => void warnings.push(message),
  };
  const openChosen = (chosen: ChosenPart): Promise<OpenParts> =>
    openParts([chosen], {
      registry,
      commands,
      sources,
      services,
      layers,
      editable: new Set(),
      host,
    });
  const open = (options: unknown = suite.options?.()): Promise<OpenParts> => openChosen({ part: suite.part, options });
  try {
    await run({ registry, sources, commands, services, layers, warnings, workspace, open, openChosen });
  } finally {
    await sources.close();
    await rm(stateDirectory, { recursive: true, force: true });
  }
}

/** Counts of everything that a part could leave behind in a host. */
function standing({ registry, sources, commands, services, layers }: Bench): unknown {
  return {
    tools: registry.snapshot().cards.map(({ name }) => name),
    mounts: sources.status().map(({ mount }) => mount),
    commands: commands.list().map(({ name }) => name),
    services: Object.keys(services),
    layers: layers.map(({ name }) => name),
  };
}

function handles(): readonly string[] {
  return process.getActiveResourcesInfo();
}

/** Resources that keep the process alive now and did not before. */
function extra(before: readonly string[]): readonly string[] {
  const rest = [...before];
  return handles().filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}
