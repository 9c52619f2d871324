import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
const { HOME } = process.env;

beforeEach(async () => {
  workspace = await openWorkspace();
  process.env["HOME"] = workspace.root;
});
afterEach(async () => {
  process.env["HOME"] = HOME;
  await workspace.close();
});
afterAll(closeSharedStore);

test("what the server is to do is written with it", async () => {
  const { root, run } = workspace;
  const flags = ["--tools", "files,recall", "--approve", "all", "--agent", "ben", "--mount-host"];
  expect((await run(["mcp", "install", "cursor", "--yes", ...flags])).code).toBe(0);
  const written = JSON.parse(await readFile(join(root, ".cursor/mcp.json"), "utf8")) as {
    mcpServers: { ikigai: { args: string[] } };
  };
  const { args } = written.mcpServers.ikigai;
  expect(args.slice(1, 4)).toEqual(["mcp", "--root", root]);
  expect(args.slice(6)).toEqual(["--agent", "ben", "--approve", "all", "--tools", "files,recall", "--mount-host"]);
  expect(await run(["mcp", "install", "cursor", "--yes", "--http"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("Leave --http and --port out"),
  });
});

test("a broken file is named", async () => {
  const file = join(workspace.root, ".cursor/mcp.json");
  await mkdir(join(workspace.root, ".cursor"));
  await writeFile(file, "{ broken");
  const { code, err } = await workspace.run(["mcp", "install", "cursor", "--yes"]);
  expect([code, err]).toEqual([2, expect.stringContaining(file)]);
});

test("a server that was told of tools which are not there does not start", async () => {
  const { code, err } = await workspace.run(["mcp", "--tools", "nope,recal"]);
  expect(code).toBe(2);
  expect(err).toContain('"nope", "recal" name neither a toolset nor a tool');
  expect(err).toMatch(/Toolsets are: files.*Tools are: .*file_read/);
});
