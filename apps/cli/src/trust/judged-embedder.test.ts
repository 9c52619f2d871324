import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { openHost } from "@ikigai/host";
import { openConfig } from "@ikigai/host/configuration";
import { createCodeRuns, judgeEmbedder } from "@ikigai/host/trust";
import { chooseEmbedder } from "@ikigai/recall";
import { resolveSettings } from "../settings.ts";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";

// An embedder's packages were trusted with the folder and never looked at again: changed ones ran in our own process.

vi.setConfig({ testTimeout: 120_000 });

const ENTRY = "node_modules/@huggingface/transformers/index.js";
const GOOD = `exports.env = {};
exports.pipeline = async () => async (texts) => ({ tolist: () => texts.map(() => [1, 0]) });
`;
let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let ran: string;

const put = async (path: string, text: string): Promise<void> => {
  const file = join(workspace.root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};
const exchange = (): Promise<void> =>
  put(ENTRY, `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "x");\n${GOOD}`);

beforeEach(async () => {
  workspace = await openWorkspace();
  ran = join(workspace.root, "..", "ran");
  await put("node_modules/@huggingface/transformers/package.json", '{"name":"@huggingface/transformers"}');
  await put(ENTRY, GOOD);
  const embedder = { use: "folder", folder: "model", dimensions: 2 };
  await put("ikigai.config.json", JSON.stringify({ recall: { embedder } }));
  await workspace.run(["trust", "--yes"]);
});
afterEach(async () => {
  await workspace.close();
  await rm(ran, { force: true });
});
afterAll(closeSharedStore);

test("a host that runs already does not load an embedder's package that changed meanwhile", async () => {
  await using host = await openHost({ root: workspace.root, store: workspace.store, mode: "all" });
  const recall = (input: object): Promise<unknown> => host.call({ name: "recall", arguments: input });
  expect(await recall({ op: "insert", content: "a plan for the winter" })).toMatchObject({ success: true });
  await put("note.md", "a plan for the winter");
  await exchange();
  expect(await recall({ op: "search", query: "plan" })).toMatchObject({ success: true });
  await host.call({ name: "search_notes", arguments: { query: "plan", by: "meaning" } });
  expect((await workspace.run(["doctor"])).out).not.toContain("transformers answers");
  expect(existsSync(ran)).toBe(false);
});

async function openEmbedder(
  beforeLoad: () => Promise<void> = async () => {},
): Promise<ReturnType<typeof chooseEmbedder>> {
  const settings = resolveSettings({ root: workspace.root, store: workspace.store });
  const { config, trust } = await openConfig(settings, () => {});
  const { stateDirectory } = settings;
  const runs = createCodeRuns({ root: workspace.root, stateDirectory, ...(trust && { trust }) });
  const chosen = config.recall?.embedder ?? expect.fail("the embedder is not there");
  const check: typeof runs.check = async (unit) => {
    const held = await runs.check(unit);
    await beforeLoad();
    return held;
  };
  return chooseEmbedder(chosen, { judge: judgeEmbedder(config, { check }).judgeEmbedder });
}

test("an embedder of the project is judged just before it is loaded", async () => {
  const embedder = await openEmbedder();
  await exchange();
  await expect(embedder.embed(["a"])).rejects.toMatchObject({
    code: "permission_denied",
    message: expect.stringContaining("changed since it was trusted"),
  });
  expect(existsSync(ran)).toBe(false);
  await put(ENTRY, GOOD);
  expect(await embedder.embed(["a"])).toEqual([Float32Array.of(1, 0)]);
});

test("an embedder of the project that is exchanged after it was judged does not run", async () => {
  const embedder = await openEmbedder(exchange);
  await expect(embedder.embed(["a"])).rejects.toMatchObject({
    code: "permission_denied",
    message: expect.stringContaining("changed since it was trusted"),
  });
  expect(existsSync(ran)).toBe(false);
});
