import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { followChanges } from "@ikigai/host/parts";
import { type Host } from "@ikigai/host";
import { openTerminalHost } from "./terminal/terminal-host.ts";
import { resolveSettings, type Settings } from "./settings.ts";
import { createTerminal } from "./terminal/terminal.ts";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let host: Host;
let settings: Settings;
let said: string[];
let following: AsyncDisposable;

const actor = { agent: "default", conversation: "c", callId: "1", tool: "file" };

beforeEach(async () => {
  workspace = await openWorkspace();
  said = [];
});
afterEach(async () => {
  await following[Symbol.asyncDispose]();
  await host.close();
  await workspace.close();
});
afterAll(closeSharedStore);

async function open(config: object, answer?: string): Promise<void> {
  const folder = process.env["XDG_CONFIG_HOME"] as string;
  await mkdir(join(folder, "ikigai"), { recursive: true });
  await writeFile(join(folder, "ikigai", "ikigai.config.json"), JSON.stringify(config));
  settings = resolveSettings({ root: workspace.root, store: workspace.store, approve: "all" });
  const terminal = createTerminal(true);
  host = await openTerminalHost(settings, {
    ...terminal,
    interactive: answer !== undefined,
    choose: async () => answer,
  });
  following = await followChanges(host, settings, {
    notify: (one) => void said.push(one),
    complain: (one) => void said.push(one),
  });
}

test("a person's edit on disk and the agent's edit both end up in the block", async () => {
  await writeFile(join(workspace.root, "a.txt"), "first\nsecond\nthird\n");
  await open({ watch: "merge" });
  const { label } = await host.blocks.load("a.txt", actor);
  await host.blocks.edit(label, { op: "replace", old: "third", new: "third, by the agent" }, actor);
  await vi.waitFor(() => expect(host.sources.status("file-changes")[0]?.state).toBe("running"));
  await writeFile(join(workspace.root, "a.txt"), "first, by a person\nsecond\nthird\n");
  await vi.waitFor(() => expect(said).toContainEqual(expect.stringContaining("reconciled")), { timeout: 20_000 });
  expect(await host.blocks.text(label, actor)).toBe("first, by a person\nsecond\nthird, by the agent\n");
  expect(await readFile(join(workspace.root, "a.txt"), "utf8")).toBe("first, by a person\nsecond\nthird\n");
  await host.blocks.save(label, actor);
  expect(await readFile(join(workspace.root, "a.txt"), "utf8")).toBe(
    "first, by a person\nsecond\nthird, by the agent\n",
  );
});

test.each([
  ["disk_wins", undefined, "person\n"],
  ["agent_wins", undefined, "agent\n"],
  ["ask", "t", "person\n"],
  ["ask", "k", "agent\n"],
])("with %s (answer %s) the block holds what was chosen", async (watch, answer, wanted) => {
  await writeFile(join(workspace.root, "a.txt"), "base\n");
  await open({ watch }, answer);
  const { label } = await host.blocks.load("a.txt", actor);
  await host.blocks.edit(label, { op: "replace", old: "base", new: "agent" }, actor);
  await vi.waitFor(() => expect(host.sources.status("file-changes")[0]?.state).toBe("running"));
  await writeFile(join(workspace.root, "a.txt"), "person\n");
  await vi.waitFor(() => expect(said).toContainEqual(expect.stringContaining("reconciled")), { timeout: 20_000 });
  expect(await host.blocks.text(label, actor)).toBe(wanted);
  expect(await readFile(join(workspace.root, "a.txt"), "utf8")).toBe("person\n");
});

test("new rules count without a restart, and wrong ones leave the old in force", async () => {
  await open({ rules: [] });
  const file = join(settings.configDirectory, "ikigai.config.json");
  const write = (): ReturnType<Host["registry"]["call"]> =>
    host.registry.call({ name: "file_write", arguments: { path: "frozen/a.txt", content: "x" } });
  expect(await write()).toMatchObject({ success: true });
  await writeFile(file, JSON.stringify({ rules: [{ glob: "frozen/**", permission: "read_only" }] }));
  await vi.waitFor(() => expect(said).toContainEqual(expect.stringContaining("1 rules")), { timeout: 20_000 });
  expect(await write()).toMatchObject({ success: false, code: "permission_denied" });
  await writeFile(file, "{");
  await vi.waitFor(() => expect(said).toContainEqual(expect.stringContaining("is not taken")), { timeout: 20_000 });
  expect(await write()).toMatchObject({ success: false, code: "permission_denied" });
});

test("notes that others change, add and remove are known within moments, once notes were asked for", async () => {
  const note = (name: string): string => join(workspace.root, name);
  await writeFile(note("Home.md"), "[[Old]]");
  await writeFile(note("Old.md"), "old");
  await open({});
  const call = (name: string, input: object): ReturnType<Host["registry"]["call"]> =>
    host.registry.call({ name, arguments: input });
  expect(await call("get_note_metadata", { name: "Old" })).toMatchObject({ success: true });
  const { graph } = host.services.notes!.index;
  await writeFile(note("Home.md"), "[[New]] #fresh");
  await writeFile(note("New.md"), "new");
  await rm(note("Old.md"));
  await vi.waitFor(
    () => {
      expect(graph.backlinks("file:///New.md").map(({ from }) => from)).toEqual(["file:///Home.md"]);
      expect(graph.get("file:///Home.md")?.tags).toEqual(["fresh"]);
      expect(graph.get("file:///Old.md")).toBeUndefined();
    },
    { timeout: 20_000 },
  );
  expect(await call("read_note", { name: "Old" })).toMatchObject({ success: false, code: "not_found" });
  expect(said).toEqual([]);
});
