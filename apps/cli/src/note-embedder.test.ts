import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type EmbeddingServer, openEmbeddingServer } from "./embedding-server.test.helper.ts";
import { followChanges } from "@ikigai/host/parts";
import { openTerminalHost } from "./terminal/terminal-host.ts";
import { resolveSettings } from "./settings.ts";
import { createTerminal } from "./terminal/terminal.ts";
import { closeSharedStore, openWorkspace, type Ran } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let server: EmbeddingServer;

beforeEach(async () => {
  workspace = await openWorkspace();
  server = await openEmbeddingServer();
  await note("Garage", "The automobile stands in it");
  await note("Lunch", "Broth with bread");
  await note("Garden", "A hound sleeps there");
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await workspace.close();
});
afterAll(closeSharedStore);
beforeAll(async () => {
  // The first command starts the store, which takes longer than any test.
  const first = await openWorkspace();
  await first.run(["recall", "status"]);
  await first.close();
}, 240_000);

const note = (name: string, text: string): Promise<void> => writeFile(join(workspace.root, `${name}.md`), `${text}\n`);

async function configure(more: object = {}): Promise<void> {
  const folder = join(workspace.root, "..", "config", "ikigai");
  const embedder = { use: "endpoint", base_url: server.url, model: "small", dimensions: 16, ...more };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ikigai.config.json"), JSON.stringify({ recall: { embedder } }));
}

const tool = (name: string, input: object): Promise<Ran> =>
  workspace.run(["--approve", "edits", "tool", name, JSON.stringify(input)]);

async function best(query: string): Promise<string | undefined> {
  const { out } = await tool("search_notes", { query, by: "meaning" });
  return (JSON.parse(out) as { data: { results: { name: string }[] } }).data.results[0]?.name;
}

test("notes are found by meaning, and only changed ones are embedded by the next process", async () => {
  expect((await tool("search_notes", { query: "my car", by: "meaning" })).out).toContain('"unsupported"');
  await configure();
  expect(await best("my car")).toBe("Garage");
  expect(server.asked.texts).toBe(3 + 1);
  expect(await best("a puppy")).toBe("Garden");
  expect(server.asked.texts).toBe(4 + 1);
  await note("Lunch", "A vehicle, another vehicle, a third vehicle");
  await rm(join(workspace.root, "Garage.md"));
  expect(await best("my car")).toBe("Lunch");
  expect(server.asked.texts).toBe(5 + 1 + 1);
});

test("another model embeds everything anew and never mixes dimensions", async () => {
  await configure();
  expect(await best("my car")).toBe("Garage");
  server.dimensions = 24;
  await configure({ model: "large", dimensions: 24 });
  expect(await best("my car")).toBe("Garage");
  expect(server.asked.texts).toBe(8);
  await configure({ model: "large", dimensions: 20 });
  const { out } = await tool("search_notes", { query: "my car", by: "meaning" });
  expect(JSON.parse(out)).toMatchObject({ success: false, code: "unavailable" });
});

test("relations hold without meaning when the embedder fails, and that is said", async () => {
  await note("Hub", "[[Garage]] is for the car");
  await configure();
  const related = async (): Promise<{ name: string; reasons: string[] }[]> => {
    const { out } = await tool("find_related", { name: "Hub" });
    const { data } = JSON.parse(out) as { data: { related: { name: string; relations: { reason: string }[] }[] } };
    return data.related.map(({ name, relations }) => ({ name, reasons: relations.map(({ reason }) => reason) }));
  };
  expect((await related())[0]).toMatchObject({
    name: "Garage",
    reasons: expect.arrayContaining(["forwardlink_to", "similar_meaning"]) as string[],
  });
  server.fault = { status: 500, body: "{}" };
  await note("Garage", "The vehicle is gone");
  const { out, err } = await tool("find_related", { name: "Hub" });
  expect(out).toContain("forwardlink_to");
  expect(out).not.toContain("similar_meaning");
  expect(err).toContain("without regard to meaning");
}, 60_000);

test("a host that lives for a while embeds notes beside the calls, and ends in the midst of it", async () => {
  await configure();
  const settings = resolveSettings({ root: workspace.root, store: workspace.store, approve: "all" });
  const said: string[] = [];
  const complain = (message: string): void => void said.push(message);
  for (const whole of [false, true]) {
    const host = await openTerminalHost(settings, createTerminal(true), { background: true });
    const following = await followChanges(host, settings, { notify: complain, complain });
    await host.services.notes?.index.ready();
    if (whole) await vi.waitFor(() => expect(server.asked.texts).toBe(3), { timeout: 20_000 });
    await following[Symbol.asyncDispose]();
    await host.close();
  }
  expect(await best("my car")).toBe("Garage");
  expect(said).toEqual([]);
});
