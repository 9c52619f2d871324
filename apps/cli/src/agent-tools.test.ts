import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
beforeEach(async () => {
  workspace = await openWorkspace();
  await configure({ name: "lim", tools: ["block", "file_read"], operations: { block: ["info"], bash_jobs: ["list"] } });
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

async function configure(agent: object): Promise<void> {
  const folder = join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ikigai.config.json"), JSON.stringify({ agents: [agent] }));
}

const asLim = (...args: string[]): ReturnType<typeof workspace.run> =>
  workspace.run([...args, "--agent", "lim", "--approve", "all"]);

test("a tool or an operation that an agent may not use is refused when it is called", async () => {
  const load = await asLim("tool", "block", '{"op":"load","label":"x.md","source_id":"file"}');
  expect(JSON.parse(load.out)).toMatchObject({ success: false, code: "permission_denied" });
  const bash = await asLim("tool", "bash", '{"command":"echo hi"}');
  expect(JSON.parse(bash.out)).toMatchObject({ success: false, code: "not_found" });
  expect(JSON.parse((await asLim("tool", "block", '{"op":"info"}')).out)).not.toMatchObject({
    code: "permission_denied",
  });
  const other = await workspace.run(["tool", "bash", '{"command":"echo hi"}', "--approve", "all"]);
  expect(JSON.parse(other.out)).toMatchObject({ success: true });
});

test("what an agent may not use is absent from its list of tools", async () => {
  const cards = JSON.parse((await asLim("tools", "--json")).out) as {
    name: string;
    description: string;
    inputSchema: { properties: { op: { enum: string[] } } };
  }[];
  expect(cards.map(({ name }) => name)).toEqual(["file_read", "block"]);
  expect(cards[1]?.inputSchema.properties.op.enum).toEqual(["info"]);
  expect(cards[1]?.description).not.toContain("- load");
});

test("permission explain says that the agent may not use it", async () => {
  const bash = await asLim("permission", "explain", "bash", '{"command":"echo hi"}');
  expect(bash.code).toBe(1);
  expect(bash.out).toMatch(
    /^DENY {2}bash\n {2}agent +deny +the agent "lim" may not use bash: its tools are block, file/,
  );
  const load = await asLim("permission", "explain", "block", '{"op":"load","label":"x.md"}');
  expect(load.code).toBe(1);
  expect(load.out).toMatch(/^DENY {2}block\n {2}agent +deny +block: this agent may not use the operation "load"/);
  const json = await asLim("permission", "explain", "bash", '{"command":"echo hi"}', "--json");
  expect(JSON.parse(json.out)).toMatchObject({ verdicts: [], denied: { layer: "agent", decision: "deny" } });
});

test("a command that a person types stays theirs", async () => {
  expect((await asLim("tool", "slash_command", '{"command":"/pinned"}')).code).toBe(1);
  expect((await asLim("pinned")).code).toBe(0);
});

test("names that lead to no tool and no operation are said", async () => {
  await configure({ name: "lim", tools: ["file_read", "fiel_edit"], operations: { blok: ["info"], block: ["infos"] } });
  const { err } = await asLim("tools");
  expect(err).toContain('The agent "lim" names the tool "fiel_edit", which there is not');
  expect(err).toContain('The agent "lim" names the tool "blok", which there is not');
  expect(err).toContain('The agent "lim" names the operation "infos" of block, which there is not');
  expect((await workspace.run(["tools"])).err).not.toContain("fiel_edit");
});
