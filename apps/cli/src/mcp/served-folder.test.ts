import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { callTool } from "./testing/official-client.ts";
import { useServedWorkspace } from "./testing/use-served-workspace.ts";

const served = useServedWorkspace();

test("started in the home folder only memory is served, and a project that the client tells is served after all", async () => {
  const { root, store } = served.workspace;
  const project = join(root, "project");
  await mkdir(project);
  await writeFile(join(root, "secret.txt"), "s");
  await writeFile(join(project, "a.txt"), "in the project");
  let roots = [root];
  const client = await served.connect(["--store", store, "mcp"], {
    cwd: root,
    env: { HOME: root },
    roots: () => roots.map((path) => ({ uri: pathToFileURL(path).href })),
  });
  expect(client.getInstructions()).toContain("is your home folder and no workspace, so only memory is served");
  expect(await callTool(client, "file_read", { path: "secret.txt" })).toMatchObject({
    code: "not_found",
    error: expect.stringMatching(/is your home folder and no workspace, so only memory is served/) as string,
  });
  expect(await callTool(client, "file_read", { path: join(root, "secret.txt") })).toMatchObject({ success: false });
  expect(await callTool(client, "file_write", { path: "ikigai:///kept.md", content: "x" })).toMatchObject({
    success: true,
  });
  roots = [project, root];
  await client.sendRootsListChanged();
  await vi.waitFor(async () => {
    const read = await callTool(client, "file_read", { path: "a.txt" });
    expect(read).toMatchObject({ data: { content: "in the project" } });
  }, 20_000);
  expect(await callTool(client, "file_read", { path: "a.txt" })).toMatchObject({ success: true });
});

test("a home folder that was chosen with --root is served", async () => {
  const { root, store } = served.workspace;
  await writeFile(join(root, "mine.txt"), "mine");
  const client = await served.connect(["--root", root, "--store", store, "mcp"], { env: { HOME: root } });
  expect(await callTool(client, "file_read", { path: "mine.txt" })).toMatchObject({ data: { content: "mine" } });
});

test("memory texts are resources, and files of the workspace are read by their real URIs only", async () => {
  const { root, store } = served.workspace;
  await writeFile(join(root, "a.txt"), "a file");
  const client = await served.connect(["--root", root, "--store", store, "mcp"]);
  const path = `plans/listed-${process.pid}.md`;
  await callTool(client, "file_write", { path: `ikigai:///${path}`, content: "kept" });
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  expect(uris).toContain(`ikigai:///${path}`);
  expect(uris.filter((uri) => uri.startsWith("file:"))).toEqual([]);
  const uri = pathToFileURL(join(root, "a.txt")).href;
  expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text: "a file" }]);
  await expect(client.readResource({ uri: "file:///etc/hostname" })).rejects.toThrow("is no file of the workspace");
});

test("a mounted server that hangs delays neither the start nor a call", async () => {
  const { root, store } = served.workspace;
  const hanging = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
  await writeFile(join(root, "ikigai.config.json"), JSON.stringify({ mcp: { servers: { hanging } } }));
  await served.workspace.run(["trust", "--yes"]);
  await writeFile(join(root, "a.txt"), "a file");
  let listed = false;
  const client = await served.connect(["--root", root, "--store", store, "mcp"]);
  const listing = client.listTools().then(({ tools }) => {
    listed = true;
    return tools;
  });
  expect(await callTool(client, "file_read", { path: "a.txt" })).toMatchObject({ data: { content: "a file" } });
  expect(listed).toBe(false);
  expect((await listing).map(({ name }) => name)).toContain("file_read");
});
