import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope } from "@ikigai/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Host } from "@ikigai/host";
import { openTerminalHost } from "./terminal/terminal-host.ts";
import { resolveSettings } from "./settings.ts";
import { createTerminal } from "./terminal/terminal.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const text = Array.from({ length: 3_000 }, (_, n) => `line ${n} of what was read`).join("\n");

let base: string;
let hosts: Host[];
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-outputs-"));
  process.env["XDG_CONFIG_HOME"] = join(base, "config");
  // Without the journal no store has to be made for a command.
  await mkdir(join(base, "config", "ikigai"), { recursive: true });
  await writeFile(join(base, "config", "ikigai", "ikigai.config.json"), '{"journal":false}');
  hosts = [];
});
afterEach(async () => {
  for (const host of hosts) await host.close();
  await rm(base, { recursive: true });
});

async function open(project: string, agent: string): Promise<Host> {
  const root = await mkdtemp(join(base, `${project}-`));
  const host = await openTerminalHost(
    resolveSettings({ root, store: join(base, "store"), agent, approve: "all" }),
    createTerminal(true),
  );
  hosts.push(host);
  await writeFile(join(root, "long.txt"), `${text}\ntoken ${SECRET}\n${text}`);
  return host;
}

const call = (host: Host, name: string, input: object, agent: string): Promise<Envelope> =>
  host.registry.call({ name, arguments: input }, { agent });

function keptIn(envelope: Envelope): string {
  if (!envelope.success || envelope.truncated?.kept === undefined) throw new Error(JSON.stringify(envelope));
  return envelope.truncated.kept;
}

test("a kept output belongs to one agent in one workspace: nobody else reads, lists or finds it", async () => {
  const [ann, elsewhere] = [await open("one", "ann"), await open("two", "ann")];
  const uri = keptIn(await call(ann, "file_read", { path: "long.txt", offset: 1, limit: 6000 }, "ann"));
  // Another output, so that the mount is there for everybody who asks.
  await call(elsewhere, "file_read", { path: "long.txt", offset: 2, limit: 6000 }, "ann");
  await call(ann, "file_read", { path: "long.txt", offset: 3, limit: 6000 }, "bob");

  expect(await call(ann, "file_read", { path: uri, offset: 1, limit: 2 }, "ann")).toMatchObject({ success: true });
  expect(await call(ann, "file_read", { path: uri, offset: 1, limit: 2 }, "bob")).toMatchObject({ code: "not_found" });
  expect(await call(elsewhere, "file_read", { path: uri, offset: 1, limit: 2 }, "ann")).toMatchObject({
    code: "not_found",
  });
  for (const [host, agent] of [
    [ann, "bob"],
    [elsewhere, "ann"],
  ] as const) {
    const name = uri.slice("output:///".length);
    expect(JSON.stringify(await call(host, "glob", { pattern: "**", path: "output:///" }, agent))).not.toContain(name);
    const found = await call(host, "grep", { pattern: "line 1 of", path: "output:///" }, agent);
    expect(JSON.stringify(found)).not.toContain(name);
  }
});

test("a kept output has no secret, and the same text is kept once", async () => {
  const host = await open("one", "ann");
  const first = keptIn(await call(host, "file_read", { path: "long.txt", offset: 1, limit: 6001 }, "ann"));
  for (let n = 0; n < 20; n++) {
    expect(keptIn(await call(host, "file_read", { path: "long.txt", offset: 1, limit: 6001 }, "ann"))).toBe(first);
  }
  const files = (await readdir(join(base, "store", "outputs"), { recursive: true })).filter((name) =>
    name.endsWith(".txt"),
  );
  expect(files).toHaveLength(1);
  const kept = await readFile(join(base, "store", "outputs", files[0] ?? ""), "utf8");
  expect(kept).toContain("line 2999 of what was read");
  expect(kept).not.toContain(SECRET);
});

test("what a command printed has no secret once its process is gone", async () => {
  const host = await open("one", "ann");
  const done = await call(host, "bash", { command: "cat long.txt long.txt" }, "ann");
  const path = (done as { data?: { kept?: { path?: string } } }).data?.kept?.path ?? "";
  expect(await readFile(path, "utf8")).toContain("line 7 of");
  await host.close();
  hosts = [];
  const left = await readFile(path, "utf8");
  expect(left).toContain("line 2999 of what was read");
  expect(left).not.toContain(SECRET);
});
