import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
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
  const kept = { path: `ikigai:///blocks/kept-${randomUUID()}.md`, content: "x" };
  expect(await callTool(client, "file_write", kept)).toEqual(expect.objectContaining({ success: true }));
  roots = [project, root];
  await client.sendRootsListChanged();
  await vi.waitFor(async () => {
    const read = await callTool(client, "file_read", { path: "a.txt" });
    expect(read).toMatchObject({ data: { content: "in the project" } });
  }, 20_000);
  expect(await callTool(client, "file_read", { path: "a.txt" })).toMatchObject({ success: true });
});

test.each([
  ["the home folder", (home: string) => [home]],
  ["a link to the home folder", (home: string) => [join(home, "..", "link-to-home")]],
  ["the root of the disk", () => ["/"]],
  ["the home folder and a link to the root of the disk", (home: string) => [home, join(home, "..", "link-to-disk")]],
])("a client that moves to %s later is served memory alone, and its project again after that", async (_, rootsIn) => {
  const { root: home, store } = served.workspace;
  const project = join(home, "project");
  await mkdir(project);
  await writeFile(join(home, ".npmrc"), "token");
  await writeFile(join(project, "a.txt"), "in the project");
  await symlink(home, join(home, "..", "link-to-home"));
  await symlink("/", join(home, "..", "link-to-disk"));
  let roots: readonly string[] = [project];
  const client = await served.connect(["--store", store, "--approve", "all", "mcp"], {
    cwd: project,
    env: { HOME: home },
    roots: () => roots.map((path) => ({ uri: pathToFileURL(path).href })),
  });
  const read = (path: string): Promise<unknown> => callTool(client, "file_read", { path });
  expect(await read("a.txt")).toMatchObject({ data: { content: "in the project" } });
  roots = rootsIn(home);
  await client.sendRootsListChanged();
  const refused = {
    code: "not_found",
    error: expect.stringContaining("no workspace, so only memory is served") as string,
  };
  await vi.waitFor(async () => expect(await read("a.txt")).toMatchObject(refused), 20_000);
  for (const path of [
    ".npmrc",
    "project/a.txt",
    join(home, ".npmrc"),
    "file:///.npmrc",
    "link-to-home:///.npmrc",
    "link-to-disk:///etc/hostname",
    "root-2:///etc/hostname",
  ])
    expect(await read(path)).toMatchObject({ success: false });
  expect(await callTool(client, "file_write", { path: ".bashrc", content: "x" })).toMatchObject({ success: false });
  expect(await callTool(client, "grep", { pattern: "token" })).not.toMatchObject({
    data: { matches: [expect.anything()] },
  });
  await expect(client.readResource({ uri: pathToFileURL(join(home, ".npmrc")).href })).rejects.toThrow(
    "Resource not found",
  );
  expect(await readdir(home)).not.toContain(".bashrc");
  const kept = { path: `ikigai:///blocks/kept-${randomUUID()}.md`, content: "x" };
  expect(await callTool(client, "file_write", kept)).toEqual(expect.objectContaining({ success: true }));
  roots = [project];
  await client.sendRootsListChanged();
  await vi.waitFor(async () => expect(await read("a.txt")).toMatchObject({ success: true }), 20_000);
});

test("a link to the home folder in which a client starts us is the home folder", async () => {
  const { root: home, store } = served.workspace;
  await writeFile(join(home, ".npmrc"), "token");
  const link = join(home, "..", "work");
  await symlink(home, link);
  for (const args of [["mcp", "--default-root", link], ["mcp"]]) {
    const client = await served.connect(["--store", store, "--approve", "all", ...args], {
      cwd: link,
      env: { HOME: home },
    });
    expect(await callTool(client, "file_read", { path: ".npmrc" })).toMatchObject({
      code: "not_found",
      error: expect.stringContaining("is your home folder and no workspace") as string,
    });
    await client.close();
  }
});

test("a client that moves to the folder that holds the store reaches nothing of the store there", async () => {
  const { root, store } = served.workspace;
  const project = join(root, "project");
  await mkdir(project);
  await writeFile(join(store, "permissions.json"), '{"grants":[]}');
  await writeFile(join(store, "seen.txt"), "beside the store");
  let roots = [project];
  const client = await served.connect(["--store", store, "--approve", "all", "mcp"], {
    cwd: project,
    roots: () => roots.map((path) => ({ uri: pathToFileURL(path).href })),
  });
  expect(await callTool(client, "file_read", { path: "none" })).toMatchObject({ code: "not_found" });
  roots = [store];
  await client.sendRootsListChanged();
  const write = (path: string): Promise<unknown> => callTool(client, "file_write", { path, content: "{}" });
  await vi.waitFor(async () => {
    expect(await callTool(client, "file_write", { path: "trust.json", content: "{}" })).toMatchObject({
      success: false,
    });
    expect(await callTool(client, "file_read", { path: "none" })).toMatchObject({ success: false });
  }, 20_000);
  for (const path of [
    "permissions.json",
    "trust.json",
    "tool-trust.json",
    "postgres/postgresql.conf",
    "new.json",
    join(store, "permissions.json"),
  ])
    expect(await write(path)).toMatchObject({ success: false });
  expect(await readFile(join(store, "permissions.json"), "utf8")).toBe('{"grants":[]}');
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
