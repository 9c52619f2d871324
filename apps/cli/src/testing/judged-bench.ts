import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Actor, Effect, Envelope } from "@ikigai/core";
import type { ApprovalRequest } from "@ikigai/core/host";
import { stopKeeper } from "@ikigai/database";
import { type Host, dataOf } from "@ikigai/host";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import { ASSETS } from "@ikigai/host/policy";
import type { Settings } from "../settings.ts";
import { EFFECTS, type EffectCase, FILES, type TestCall } from "./effect-cases.ts";
import { silentTerminal } from "./silent-terminal.ts";

/** One call of one agent, between its setup and its question. */
export interface JudgedCase {
  readonly actor: Actor;
  readonly call: (call: TestCall, on?: Host, permitted?: Effect[]) => Promise<Envelope>;
}

/** Two hosts of the command line on one workspace and one store. */
export interface JudgedBench extends AsyncDisposable {
  readonly root: string;
  /** Allows everything: sets a case up, and does what happens while a person is asked. */
  readonly others: Host;
  /** Asks for every change; the person says yes after `meanwhile`. */
  readonly asking: Host;
  /** What happens while the next question is read. Absent again once it happened. */
  meanwhile: (() => Promise<void>) | undefined;
  /** The effects that were asked about. */
  readonly asked: string[];
  /** What the operator was told. */
  readonly told: string[];
  begin(setup: readonly TestCall[]): Promise<JudgedCase>;
}

/** Contract: files below `kept/` are under a `human` rule. */
export async function openJudgedBench(): Promise<JudgedBench> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "ikigai-judged-")));
  const root = join(base, "root");
  mkdirSync(root);
  mkdirSync(join(base, "config"));
  const rules = [{ glob: "kept/**", permission: "human" }];
  writeFileSync(join(base, "config", "ikigai.config.json"), JSON.stringify({ rules }));
  const settings: Settings = {
    root,
    stateDirectory: join(base, "store"),
    configDirectory: join(base, "config"),
    agent: "default",
    approve: "all",
    json: false,
    quiet: true,
  };
  const asked: string[] = [];
  const told: string[] = [];
  const terminal = { ...silentTerminal, complain: (message: string) => void told.push(message) };
  const assist = { compact: async () => ({ text: "short\n", tokensBefore: 2, tokensAfter: 1 }) };
  const yes = { approved: true, by: "the person" } as const;
  const others = await openTerminalHost(settings, terminal, { assist, approve: async () => yes });
  await others.store.open();
  const approver = async ({ verdicts }: ApprovalRequest): Promise<typeof yes> => {
    asked.push(...verdicts.map(({ effect }) => `${effect.action} ${effect.target}`));
    const work = bench.meanwhile;
    bench.meanwhile = undefined;
    await work?.();
    return yes;
  };
  const asking = await openTerminalHost({ ...settings, approve: "ask" }, terminal, { assist, approve: approver });
  let cases = 0;
  const bench: JudgedBench = {
    root,
    others,
    asking,
    meanwhile: undefined,
    asked,
    told,
    async begin(setup) {
      cases += 1;
      const agent = `agent-${cases}`;
      const actor: Actor = { agent, conversation: "c", callId: "look", tool: "look" };
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
      for (const one of [others, asking]) await one.services.notes?.index.refresh();
      await others.blocks.define({ label: "facts", type: "working", schema: FACTS }, actor);
      asked.length = 0;
      told.length = 0;
      let job = "";
      const call: JudgedCase["call"] = async (one, on = others, permitted = []) => {
        const text = JSON.stringify(one).replaceAll("FRIEND", `${agent}-friend`).replaceAll("JOB", job);
        const { tool: name, ...given } = JSON.parse(text) as TestCall;
        return on.registry.call(
          { id: randomUUID(), name, arguments: given },
          { agent, conversation: "c", onPermitted: (effects) => void permitted.push(...effects) },
        );
      };
      for (const one of setup) {
        const envelope = await call(one);
        job = (dataOf(envelope) as { job?: string }).job ?? job;
        // What a conversation has seen is known to one process only.
        if (one.tool === "file_read" || one.tool === "read_note") await call(one, asking);
      }
      return { actor, call };
    },
    async [Symbol.asyncDispose]() {
      await asking.close();
      await others.close();
      await stopKeeper(join(base, "store", "postgres"));
      await rm(base, { recursive: true, force: true });
    },
  };
  return bench;
}

const FACTS = { kind: "map", fields: [{ name: "name", type: "text" }] } as const;

/** Every text and setting that a call could change, by the target that an effect on it has. */
export async function worldOf({ others, root }: JudgedBench, actor: Actor): Promise<ReadonlyMap<string, string>> {
  const { sources, blocks, store } = others;
  const world = new Map<string, string>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) world.set(`file:///${relative(root, path)}`, readFileSync(path, "utf8"));
  }
  for await (const { path, description, archived } of store.assets.list(actor.agent, "", { archived: true })) {
    const text = (await sources.route(`${ASSETS}:///${path}`).source.read(path, { actor }))?.text;
    world.set(`${ASSETS}:///${path}`, JSON.stringify([text, description, archived]));
  }
  for (const { label, type, pinned } of await blocks.list(actor)) {
    // What a job prints comes when it comes.
    if (type === "log") continue;
    world.set(`block:///${label}`, `${type} ${await blocks.text(label, actor)}`);
    world.set(`context:///${label}`, `${String(pinned)} ${(await blocks.view(label, actor)).length > 0}`);
  }
  for (const { label } of await blocks.list({ ...actor, agent: `${actor.agent}-friend` })) {
    world.set(`share:///${label}`, "shared");
  }
  const { pins, limit } = await store.pins.status(actor.agent);
  world.set(
    `pin:///${actor.agent}`,
    JSON.stringify(pins.map(({ uri }) => uri).filter((uri) => uri.startsWith(ASSETS))),
  );
  world.set(`budget:///${actor.agent}`, String(limit));
  return world;
}

const NEEDED = {
  appeared: ["create", "update", "admin"],
  vanished: ["delete", "admin"],
  changed: ["update", "append", "create", "admin"],
} as const;

/** What changed without a permitted effect that says so. */
export function undeclared(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  permitted: readonly Effect[],
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((target) => {
    const [was, is] = [before.get(target), after.get(target)];
    if (was === is) return [];
    const what = was === undefined ? "appeared" : is === undefined ? "vanished" : "changed";
    // What is shown of a block follows the block.
    const targets = target.startsWith("context:///") ? [target, target.replace("context:", "block:")] : [target];
    const isDeclared = permitted.some(
      (effect) => targets.includes(effect.target) && (NEEDED[what] as readonly string[]).includes(effect.action),
    );
    return isDeclared ? [] : [`${what}: ${target}`];
  });
}

/** What may happen to the world while a person reads the question. */
export const MEANWHILE: Readonly<
  Record<string, (bench: JudgedBench, one: JudgedCase, call: TestCall) => Promise<void>>
> = {
  async "the same call is made by another"(_, { call }, same) {
    await call(same);
  },
  async "every text is changed"({ others, root }, { actor }) {
    for (const name of readdirSync(root)) {
      if (name.endsWith(".md")) writeFileSync(join(root, name), `another ${readFileSync(join(root, name), "utf8")}`);
    }
    for await (const { path } of others.store.assets.list(actor.agent, "")) {
      const { source } = others.sources.route(`${ASSETS}:///${path}`);
      await source.write?.(path, "another\n", { actor });
    }
    for (const { label, type } of await others.blocks.list(actor)) {
      if (type === "working" && label !== "facts") {
        await others.blocks.edit(label, { op: "append", content: "another\n" }, actor);
      }
    }
  },
  async "every text is removed"({ others, root }, { actor }) {
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
    for await (const { path } of others.store.assets.list(actor.agent, "")) {
      await others.sources.route(`${ASSETS}:///${path}`).source.remove?.(path, { actor });
    }
  },
  async "the last changes are taken back"({ others }, { actor, call }) {
    for (const uri of ["file:///a.md", "file:///plan.md", `${ASSETS}:///blocks/x.md`]) {
      await call({ tool: "slash_command", command: `/undo ${uri}` });
    }
    for (const { label } of await others.blocks.list(actor)) {
      await call({ tool: "block_edit", op: "undo", label });
    }
  },
  async "a text appears at every place that could be meant"({ others, asking, root }, { actor }) {
    for (const name of ["new.md", "Idea.md", "goal.md", "made.md", "x", "x.md"]) {
      writeFileSync(join(root, name), "a stranger\n");
    }
    mkdirSync(join(root, "blocks"), { recursive: true });
    mkdirSync(join(root, "new"), { recursive: true });
    mkdirSync(join(root, "sub"), { recursive: true });
    for (const name of ["blocks/x.md", "blocks/new.md", "new/b.md", "sub/b.md", "sub/plan.md", "sub/log.md"]) {
      writeFileSync(join(root, name), "a stranger\n");
    }
    for (const path of ["x", "x.md", "blocks/y.md", "blocks/new.md", "blocks/remembered.md", "a.md", "plan.md"]) {
      await others.sources
        .route(`${ASSETS}:///${path}`)
        .source.write?.(path, "a stranger\n", { actor, expected: null })
        .catch(() => {});
    }
    await asking.services.notes?.index.refresh();
  },
};

/** The calls of the table that another process can make: jobs live with theirs. */
export const JUDGED_CASES: readonly (readonly [string, EffectCase])[] = Object.entries(EFFECTS).filter(
  ([, { perProcess }]) => perProcess === undefined,
);

/** Makes a call that is asked about, and gives what it changed beyond what was permitted. */
export async function changesBeyondJudged(
  bench: JudgedBench,
  { setup = [], call }: EffectCase,
  happen: (typeof MEANWHILE)[string],
): Promise<{ readonly envelope: Envelope; readonly beyond: readonly string[] }> {
  const one = await bench.begin(setup);
  let before: ReadonlyMap<string, string> = new Map();
  const permitted: Effect[] = [];
  bench.meanwhile = async () => {
    await happen(bench, one, call);
    before = await worldOf(bench, one.actor);
  };
  const envelope = await one.call(call, bench.asking, permitted);
  if (bench.meanwhile !== undefined) throw new Error("nobody was asked");
  // A command may do anything that its text says.
  const isFree = permitted.some(({ action }) => action === "execute");
  return { envelope, beyond: isFree ? [] : undeclared(before, await worldOf(bench, one.actor), permitted) };
}
