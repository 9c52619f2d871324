import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { defineTool, type Effect, type HostServices, messageOf } from "@ikigai/core";
import { type AnyPart, PART_CONTRACT } from "@ikigai/core/host";
import type { RegisterTest } from "@ikigai/core/testing";
import { createSlashCommandTool } from "@ikigai/memory";
import { z } from "zod";
import type { OpenParts } from "../parts/open-parts.ts";
import { ownNamesIn } from "../parts/own-names.ts";
import { PART_NAME } from "../parts/part-shape.ts";
import { callDeclared } from "./call-declared.ts";
import { leftBehind } from "./left-behind.ts";
import { type Bench, withBench } from "./part-bench.ts";

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
  /** Whether it comes with ikigai, whose names it may have then. Default false. */
  readonly comesWithIkigai?: boolean;
}

/** Options that no part takes. */
const NO_SUCH_OPTION = { "no-such-option": 1 };
/** Milliseconds in which work in the background shows whether it fails at once, and those that it may take to end. */
const BEGIN_MS = 25;
const END_WITHIN_MS = 5_000;
/** Effects that layers of a part are asked about. */
const SAMPLES: readonly Effect[] = [
  { action: "read", target: "file:///a.md" },
  { action: "update", target: "file:///a.md" },
  { action: "delete", target: "file:///b/c.md" },
  { action: "execute", target: "ls" },
  { action: "network", target: "example.com" },
];
const DECISIONS: readonly unknown[] = ["allow", "ask", "deny"];

type Skip = (reason: string) => void;

/**
 * Proves a part: registers one test for every promise of its contract.
 *
 * Contract: ids are permanent. Every case has a host of its own. Where no call of a tool or no line for a command is given,
 * nothing is known of what it touches: a case names it, and is skipped.
 */
export function testPart(suite: PartSuite): void {
  const { test } = suite;
  const define = (id: string, run: (bench: Bench, skip: Skip) => Promise<void>): void =>
    void test(id, async (context) => {
      let unseen: string | undefined;
      await withBench(suite, (bench) => run(bench, (reason) => (unseen = reason)));
      if (unseen !== undefined) (context as { skip?: Skip } | undefined)?.skip?.(unseen);
    });
  defineOpening(suite, define);
  defineOptions(suite, define);
  defineBrought(suite, define);
  defineCalls(suite, define);
}

type Define = (id: string, run: (bench: Bench, skip: Skip) => Promise<void>) => void;

function defineOpening({ part, options, calls = [], commands = [] }: PartSuite, define: Define): void {
  define("part/says-what-it-is", async () => {
    assert.equal(part.kind, "part");
    assert.equal(part.contract, PART_CONTRACT);
    assert.match(part.name, PART_NAME, "the name is lower-case, for it names a section of the configuration");
    const checked = await part.options["~standard"].validate({});
    assert.ok(options !== undefined || checked.issues === undefined, "an absent section means the defaults");
  });

  define("part/opens-and-closes-again", async (bench) => {
    const before = standing(bench);
    for (let round = 0; round < 2; round++) {
      const opened = await openWhole(bench);
      await opened.close();
      assert.deepEqual(standing(bench), before, "closing withdraws everything");
      assertQuiet(bench);
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
    const left = await leftBehind(async () => {
      const opened = await bench.open();
      const following = opened.follow();
      const who = { agent: "default", conversation: "suite" };
      for (const { name, arguments: given } of calls) await bench.registry.call({ name, arguments: given }, who);
      const typed = createSlashCommandTool(bench.commands);
      const registered = bench.registry.register([typed]);
      for (const { line } of commands)
        await bench.registry.call({ name: typed.name, arguments: { command: line } }, who);
      registered[Symbol.dispose]();
      await following[Symbol.asyncDispose]();
      await opened.close();
    });
    assert.ok(left.length === 0, `it leaves running when it is closed: ${left.join(", ")}`);
    assertQuiet(bench);
  });

  define("part/needs-are-said", async (bench) => {
    if ((part.needs ?? []).length === 0) return;
    for (const name of Object.keys(bench.services)) delete (bench.services as Record<string, unknown>)[name];
    const before = standing(bench);
    const opened = await bench.open();
    assert.deepEqual(opened.names, [], "without what it needs it is left out");
    assert.deepEqual(standing(bench), before);
  });
}

function defineOptions({ part, badOptions }: PartSuite, define: Define): void {
  define("part/names-the-key-that-is-wrong", async (bench) => {
    if (badOptions === undefined) {
      const checked = await part.options["~standard"].validate(NO_SUCH_OPTION);
      assert.ok(
        checked.issues !== undefined,
        `its options take ${JSON.stringify(NO_SUCH_OPTION)}: make them strict, or give badOptions that it refuses`,
      );
      return;
    }
    const opened = await bench.open(badOptions.options);
    assert.equal(opened.failures.length, 1, "wrong options are refused");
    const { error = "" } = opened.failures[0] ?? {};
    assert.ok(error.includes(`${part.name}.${badOptions.key}`), `the message names the key: ${error}`);
  });
}

function defineBrought({ comesWithIkigai = false }: PartSuite, define: Define): void {
  define("part/takes-no-name-of-ikigai", async (bench) => {
    const opened = await openWhole(bench);
    const [status] = opened.status();
    await opened.close();
    const taken = status === undefined || comesWithIkigai ? [] : ownNamesIn(status);
    assert.ok(taken.length === 0, `it brings ${taken.join(" and ")}, which ikigai itself has`);
  });

  define("part/gives-words-to-the-prompt", async (bench) => {
    const opened = await openWhole(bench);
    const tools = bench.registry.snapshot().cards.map(({ name }) => name);
    for (const shown of [tools, []]) opened.guidance({ tools: shown, mounts: bench.sources.status() });
    await opened.close();
    assertQuiet(bench);
  });

  define("part/layers-judge", async (bench) => {
    const opened = await openWhole(bench);
    for (const layer of bench.layers) {
      for (const effect of SAMPLES) {
        const facts = { tool: "file_edit", agent: "default", conversation: "suite" };
        const opinion: unknown = await Promise.resolve(layer.judge(effect, facts));
        if (opinion === undefined) continue;
        const { decision, reason } = opinion as { readonly decision?: unknown; readonly reason?: unknown };
        const asked = `layer "${layer.name}", asked about ${effect.action} of ${effect.target},`;
        assert.ok(DECISIONS.includes(decision), `${asked} decides ${JSON.stringify(decision)}`);
        assert.ok(typeof reason === "string" && reason !== "", `${asked} gives no reason`);
      }
    }
    await opened.close();
  });

  define("part/ends-its-work", async (bench) => {
    const opened = await openWhole(bench);
    const given = bench.given();
    if (given.follow !== undefined) await assertEnds((signal) => given.follow?.(signal));
    await opened.close();
    assertQuiet(bench);
  });
}

function defineCalls({ calls = [], commands = [] }: PartSuite, define: Define): void {
  define("part/every-tool-and-command-has-a-call", async (bench, skip) => {
    const opened = await openWhole(bench);
    const called = new Set([
      ...calls.map(({ name }) => name),
      ...commands.map(({ line }) => line.trim().split(/\s/)[0]),
    ]);
    const brought = opened.status().flatMap((one) => [...one.tools, ...one.commands.map((name) => `/${name}`)]);
    await opened.close();
    const uncalled = brought.filter((name) => !called.has(name));
    if (uncalled.length > 0) skip(`no call is given of ${uncalled.join(", ")}, so nobody knows what they touch`);
  });

  for (const [at, { data, ...call }] of calls.entries()) {
    define(`part/declares-its-effects ${at + 1} ${call.name}`, async (bench) => {
      const opened = await openWhole(bench);
      const answered = await callDeclared(bench, call, call.name);
      if (data !== undefined) assert.deepEqual(answered, data);
      await opened.close();
    });
  }

  for (const [at, { line, text }] of commands.entries()) {
    const name = line.split(" ")[0] ?? line;
    define(`part/commands-declare-their-effects ${at + 1} ${name}`, async (bench) => {
      const opened = await openWhole(bench);
      const typed = createSlashCommandTool(bench.commands);
      using _ = bench.registry.register([typed]);
      const answered = await callDeclared(bench, { name: typed.name, arguments: { command: line } }, name);
      if (text !== undefined) assert.equal((answered as { output?: string }).output, text);
      await opened.close();
    });
  }
}

/** Contract: fails with what the host says when the part is left out. */
async function openWhole(bench: Bench): Promise<OpenParts> {
  const opened = await bench.open();
  const [failure] = opened.failures;
  assert.ok(failure === undefined, `it cannot be opened: ${failure?.error}`);
  return opened;
}

function assertQuiet({ warnings }: Bench): void {
  assert.ok(warnings.length === 0, `the host warns: ${warnings.join("; ")}`);
}

/** Contract: fails when work in the background rejects, or does not end when its signal aborts. */
async function assertEnds(follow: (signal: AbortSignal) => Promise<void> | undefined): Promise<void> {
  const stop = new AbortController();
  let fault: string | undefined;
  const work = (async () => follow(stop.signal))().then(
    () => true,
    (error: unknown) => {
      fault = messageOf(error);
      return true;
    },
  );
  await endsWithin(BEGIN_MS, work);
  assert.ok(fault === undefined, `follow rejects: ${fault}`);
  stop.abort();
  assert.ok(await endsWithin(END_WITHIN_MS, work), `follow goes on for ${END_WITHIN_MS} ms after its signal aborted`);
  assert.ok(fault === undefined, `follow rejects when its signal aborts: ${fault}`);
}

async function endsWithin(ms: number, work: Promise<boolean>): Promise<boolean> {
  const ended = new AbortController();
  const late = wait(ms, false, { signal: ended.signal }).catch(() => false);
  return Promise.race([work, late]).finally(() => ended.abort());
}

/** Names of everything that a part could leave behind in a host. */
function standing({ registry, sources, commands, services, layers }: Bench): unknown {
  return {
    tools: registry.snapshot().cards.map(({ name }) => name),
    mounts: sources.status().map(({ mount }) => mount),
    commands: commands.list().map(({ name }) => name),
    services: Object.keys(services),
    layers: layers.map(({ name }) => name),
  };
}
