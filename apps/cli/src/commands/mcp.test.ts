import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { callTool } from "../mcp/testing/official-client.ts";
import { useServedWorkspace } from "../mcp/testing/use-served-workspace.ts";

const served = useServedWorkspace();

async function makeFolder(name: string): Promise<string> {
  const folder = join(served.workspace.root, name);
  await mkdir(folder);
  await writeFile(join(folder, "where.txt"), name);
  return folder;
}

test("the client's folders are the workspace, from its first call on and when they change", async () => {
  const [one, two, aside] = [await makeFolder("one"), await makeFolder("two"), await makeFolder("aside")];
  let roots = [one, aside];
  const client = await served.connect(
    ["--store", served.workspace.store, "mcp", "--default-root", served.workspace.root],
    {
      roots: () => roots.map((root) => ({ uri: pathToFileURL(root).href })),
    },
  );
  const read = async (path: string): Promise<unknown> => callTool(client, "file_read", { path });
  expect(await read("where.txt")).toMatchObject({ success: true, data: { content: "one" } });
  expect(await read("aside:///where.txt")).toMatchObject({ data: { content: "aside" } });
  expect(await callTool(client, "file_write", { path: "new.txt", content: "x" })).toMatchObject({ success: true });
  expect(await readFile(join(one, "new.txt"), "utf8")).toBe("x");
  expect(await read(join(two, "where.txt"))).toMatchObject({
    code: "permission_denied",
    error: expect.stringMatching(
      /start ikigai mcp with --mount-host .*"sources" in ikigai\.config\.json.*--root/,
    ) as string,
  });
  roots = [two];
  await client.sendRootsListChanged();
  await vi.waitFor(async () => expect(await read("where.txt")).toMatchObject({ data: { content: "two" } }), 20_000);
  expect(await read("aside:///where.txt")).toMatchObject({ code: "not_found" });
});

test("a workspace that was chosen stays, whatever the client says", async () => {
  const other = await makeFolder("other");
  await writeFile(join(served.workspace.root, "where.txt"), "chosen");
  const client = await served.connect(["--root", served.workspace.root, "--store", served.workspace.store, "mcp"], {
    roots: () => [{ uri: pathToFileURL(other).href }],
  });
  expect(await callTool(client, "file_read", { path: "where.txt" })).toMatchObject({ data: { content: "chosen" } });
});

test("commands and skills are prompts, and a new skill is told of", async () => {
  const client = await served.connect(["--root", served.workspace.root, "--store", served.workspace.store, "mcp"]);
  const changed = vi.fn<() => void>();
  client.setNotificationHandler("notifications/prompts/list_changed", changed);
  const names = async (): Promise<string[]> => (await client.listPrompts()).prompts.map(({ name }) => name);
  expect(await names()).toEqual(expect.arrayContaining(["compact", "remember"]));
  const path = `ikigai:///skills/style-${process.pid}.md`;
  expect(await callTool(client, "file_write", { path, content: "Write ``` short." })).toMatchObject({ success: true });
  await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 20_000);
  const skill = `skills/style-${process.pid}`;
  expect(await names()).toContain(skill);
  const described = `ikigai:///skills/told-${process.pid}.md`;
  const front = "---\nname: told\ndescription: Writes letters\n---\nText.";
  expect(await callTool(client, "file_write", { path: described, content: front })).toMatchObject({ success: true });
  expect((await client.listPrompts()).prompts).toContainEqual(
    expect.objectContaining({ name: `skills/told-${process.pid}`, description: "Writes letters" }),
  );
  const text = async (name: string, args: Record<string, string>): Promise<string> =>
    JSON.stringify((await client.getPrompt({ name, arguments: args })).messages);
  expect(await text(skill, { task: "the letter" })).toMatch(/for this task: the letter.*````text.*Write ``` short\./s);
  expect(await text("remember", { text: "Tests run" })).toContain("/remember Tests run");
  expect(await text("remember", { text: "Ann's" })).toContain("/remember Ann's");
  expect(await text("remember", { text: '"so"' })).toContain(JSON.stringify('/remember "\\"so\\""').slice(1, -1));
  expect(await text("remember", {})).toContain("at most five");
  expect(await text("compact", { address: skill })).toContain(path);
  await expect(text("compact", { address: "none/such" })).rejects.toThrow("nothing at ikigai:///none/such");
  await expect(text("compact", {})).rejects.toThrow("needs an address");
  await expect(text("unknown", {})).rejects.toThrow("No prompt is named");
});

test("addresses and paths are completed by their beginning and by names", async () => {
  await mkdir(join(served.workspace.root, "src"));
  await writeFile(join(served.workspace.root, "src", "Parser.ts"), "");
  const client = await served.connect(["--root", served.workspace.root, "--store", served.workspace.store, "mcp"]);
  const complete = async (
    ref: { type: "ref/resource"; uri: string } | { type: "ref/prompt"; name: string },
    argument: { name: string; value: string },
  ): Promise<unknown> => (await client.complete({ ref, argument })).completion.values;
  const file = { type: "ref/resource", uri: "file:///{+path}" } as const;
  expect(await complete(file, { name: "path", value: "src/P" })).toEqual(["src/Parser.ts"]);
  expect(await complete(file, { name: "path", value: "par" })).toEqual(["src/Parser.ts"]);
  const path = `plans/next-${process.pid}.md`;
  await callTool(client, "file_write", { path: `ikigai:///${path}`, content: "x" });
  const compact = { type: "ref/prompt", name: "compact" } as const;
  expect(await complete(compact, { name: "address", value: `next-${process.pid}` })).toEqual([path]);
});
