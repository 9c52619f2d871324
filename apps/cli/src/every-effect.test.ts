import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor, Envelope } from "@ikigai/core";
import type { Verdict } from "@ikigai/core/host";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataOf, type Host } from "@ikigai/host";
import { openTerminalHost } from "./terminal/terminal-host.ts";
import { ASSETS } from "@ikigai/host/policy";
import type { Settings } from "./settings.ts";
import { EFFECTS, type EffectCase, FILES, PLAIN_READS, type TestCall } from "./testing/effect-cases.ts";
import { silentTerminal } from "./testing/silent-terminal.ts";

/** Each case has an agent of its own, so that one workspace and store serve all. */
const KEYS = [...Object.keys(EFFECTS), ...Object.keys(PLAIN_READS)];
const agentOf = (key: string): string => `agent-${KEYS.indexOf(key)}`;

let base: string;
let root: string;
let settings: Settings & { approve: Settings["approve"] };
/** The real host of the command line. */
let host: Host;
/** The same again with a rule in its configuration that lets no agent change anything. */
let closed: Host;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "ikigai-effects-")));
  root = join(base, "root");
  mkdirSync(root);
  mkdirSync(join(base, "closed"));
  const agents = KEYS.map((key) => ({
    name: agentOf(key),
    permissions: [{ glob: "**", permission: "read_only" }],
  }));
  writeFileSync(join(base, "closed", "ikigai.config.json"), JSON.stringify({ agents }));
  settings = {
    root,
    stateDirectory: join(base, "store"),
    configDirectory: join(base, "open"),
    agent: "default",
    approve: "all",
    json: false,
    quiet: true,
  };
  const assist = { compact: async () => ({ text: "short\n", tokensBefore: 2, tokensAfter: 1 }) };
  host = await openTerminalHost(settings, silentTerminal, { assist });
  await host.store.open();
  closed = await openTerminalHost({ ...settings, configDirectory: join(base, "closed") }, silentTerminal, { assist });
});
afterAll(async () => {
  await closed.close();
  await host.close();
  await stopKeeper(join(base, "store", "postgres"));
  await rm(base, { recursive: true, force: true });
});

/** The beginning of a case: its files, a block that is a map, and what it sets up. */
async function begin(
  key: string,
  setup: readonly TestCall[] = [],
): Promise<{
  agent: string;
  call: (call: TestCall, on?: Host) => Promise<{ id: string; envelope: Envelope }>;
  world: () => Promise<unknown>;
}> {
  const agent = agentOf(key);
  const actor: Actor = { agent, conversation: "c", callId: "look", tool: "look" };
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  // The files were put there from outside.
  for (const one of [host, closed]) await one.services.notes?.index.refresh();
  await host.blocks.define({ label: "facts", type: "working", schema: FACTS }, actor);
  let job = "";
  const call = async (one: TestCall, on: Host = host): Promise<{ id: string; envelope: Envelope }> => {
    const text = JSON.stringify(one).replaceAll("FRIEND", `${agent}-friend`).replaceAll("JOB", job);
    const { tool: name, ...given } = JSON.parse(text) as TestCall;
    const id = randomUUID();
    return { id, envelope: await on.registry.call({ id, name, arguments: given }, { agent, conversation: "c" }) };
  };
  for (const one of setup) {
    const { envelope } = await call(one);
    job = (dataOf(envelope) as { job?: string }).job ?? job;
    // What a conversation has seen is known to one process only.
    if (one.tool === "file_read" || one.tool === "read_note") await call(one, closed);
  }
  return { agent, call, world: () => worldOf(actor) };
}

const FACTS = { kind: "map", fields: [{ name: "name", type: "text" }] } as const;

/** Everything that a call could have changed. */
async function worldOf(actor: Actor): Promise<unknown> {
  const { sources, blocks, store } = host;
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")])
    .toSorted();
  const assets: unknown[] = [];
  for await (const { path, description, archived } of store.assets.list(actor.agent, "", { archived: true })) {
    assets.push([
      path,
      description,
      archived,
      (await sources.route(`${ASSETS}:///${path}`).source.read(path, { actor }))?.text,
    ]);
  }
  const held = await Promise.all(
    // What a job prints comes when it comes.
    (await blocks.list(actor))
      .filter(({ type }) => type !== "log")
      .map(async ({ label, type, permission, pinned }) => {
        return { label, type, permission, pinned, view: await blocks.view(label, actor) };
      }),
  );
  const shared = (await blocks.list({ ...actor, agent: `${actor.agent}-friend` })).map(({ label }) => label);
  const { pins, limit } = await store.pins.status(actor.agent);
  const recalled = (await host.services.recall!.scan({}, { owner: actor.agent })).map(({ content }) => content);
  const states = sources.status().map(({ mount, state }) => [mount, state]);
  // No refresh: the index has to hear by itself of what was done and of what was taken back.
  await host.services.notes?.index.ready();
  const notes = [...(host.services.notes?.index.graph.rows() ?? [])]
    .map(({ uri, version }) => [uri, version])
    .toSorted();
  return { files, notes, assets, held, shared, pinned: pins.map(({ uri }) => uri), limit, recalled, states };
}

/** What the audit holds of a call. */
async function auditOf(callId: string): Promise<{ phases: string[]; verdicts: Verdict[] }> {
  const rows = (await host.store.audit.read({ callId })).toReversed();
  const details = rows.map((row) => JSON.parse(row.details) as { verdicts: Verdict[] });
  return {
    phases: rows.map(({ phase, outcome }) => outcome ?? phase),
    verdicts: details.flatMap(({ verdicts }) => verdicts),
  };
}

function changesOf(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.filter(({ effect }) => effect.action !== "read");
}

test("every operation of the registry is in the table, and nothing else", () => {
  const names = host.registry.snapshot().cards.flatMap(({ name }) => {
    if (name === "slash_command") {
      return host.commands.list().flatMap((one) => (one.personOnly === true ? [] : [`${name} /${one.name}`]));
    }
    const operations = Object.keys(host.registry.get(name)?.operations ?? {});
    return operations.length === 0 ? [name] : operations.map((op) => `${name} ${op}`);
  });
  const covered = KEYS.map((key) => key.split(":")[0]);
  expect([...new Set(covered)].toSorted()).toEqual(names.toSorted());
});

test.each(Object.entries(PLAIN_READS))("%s only looks, and the audit says so", async (key, one) => {
  const { call, world } = await begin(key, one.setup);
  const before = await world();
  settings.approve = "none";
  const { id, envelope } = await call(one.call);
  settings.approve = "all";
  dataOf(envelope);
  expect(await world()).toEqual(before);
  const { phases, verdicts } = await auditOf(id);
  expect(phases).toEqual(["intent", "success"]);
  expect(changesOf(verdicts)).toEqual([]);
});

test.each(Object.entries(EFFECTS))(
  "%s is audited with its trace, journalled, denied by a rule, and taken back",
  async (key, one: EffectCase) => {
    const { agent, call, world } = await begin(key, one.setup);
    const before = await world();

    const byMode = one.perProcess !== undefined;
    if (byMode) settings.approve = "none";
    const denied = await call(one.call, byMode ? host : closed);
    settings.approve = "all";
    expect(denied.envelope).toMatchObject({ success: false, code: "permission_denied" });
    expect(await world()).toEqual(before);
    const refused = await auditOf(denied.id);
    expect(refused.phases).toEqual(["permission_denied"]);
    expect(refused.verdicts.flatMap(({ trace }) => trace)).toContainEqual(
      expect.objectContaining({ layer: byMode ? "mode" : "agent", decision: "deny" }),
    );

    const { id, envelope } = await call(one.call);
    dataOf(envelope);
    if (one.invisible === undefined) expect(await world()).not.toEqual(before);
    const { phases, verdicts } = await auditOf(id);
    expect(phases).toEqual(["intent", "success"]);
    for (const { trace } of verdicts) expect(trace).not.toEqual([]);
    const changes = changesOf(verdicts);
    expect(changes).not.toEqual([]);

    // A pin has its own target; the journal keeps it with the asset.
    const assets = verdicts.filter(({ effect }) => effect.target.startsWith(`${ASSETS}:///`));
    const records = await journalOf([...changes, ...assets], id, agent);
    expect(records.length > 0).toBe(one.journal === undefined);

    if (typeof one.undo === "string") return;
    // The undo of one text of a call takes the whole call back.
    const [newest] = records.filter(({ id: entry }) => entry !== undefined);
    const blocks = records.filter(({ id: entry }) => entry === undefined);
    const steps = one.undo ?? [...(newest === undefined ? [] : [newest]), ...blocks].map(undoOf);
    for (const step of steps) dataOf((await call(step)).envelope);
    expect(await world()).toEqual(before);
  },
);

interface JournalRow {
  readonly uri: string;
  /** Absent for a block, whose last step is meant. */
  readonly id?: string;
}

function undoOf({ uri, id }: JournalRow): TestCall {
  return { tool: "slash_command", command: id === undefined ? `/undo ${uri}` : `/undo ${uri} ${id}` };
}

/** The journal's rows of a call, newest first: of texts in the journal, of blocks in their own history. */
async function journalOf(changes: readonly Verdict[], callId: string, agent: string): Promise<JournalRow[]> {
  const found: JournalRow[] = [];
  for (const target of new Set(changes.map(({ effect }) => effect.target))) {
    if (target.startsWith(BLOCK)) {
      const label = target.slice(BLOCK.length);
      const [last] = await host.blocks.history(label, { agent, conversation: "c", callId, tool: "look" });
      if (last?.author === agent) found.push({ uri: label });
    } else {
      const owner = target.startsWith(`${ASSETS}:///`) ? agent : `folder:${root}`;
      const records = await host.store.journal.history(target, { owner });
      found.push(...records.filter((one) => one.callId === callId).map(({ uri, id }) => ({ uri, id })));
    }
  }
  return found.toSorted((a, b) => Number(b.id ?? 0) - Number(a.id ?? 0));
}

const BLOCK = "block:///";
