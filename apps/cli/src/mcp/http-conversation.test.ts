import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { callTool, connectOverHttp, PROCESSES_MS } from "./testing/official-client.ts";

afterAll(closeSharedStore);

const STATELESS = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;

test(
  "over stateless HTTP a read and a write are one conversation, and another window of that client overwrites nothing unseen",
  async () => {
    const { root, store, run, close } = await openWorkspace();
    await writeFile(join(root, "a.txt"), "one");
    await using http = await connectOverHttp(["--root", root, "--store", store, "mcp"]);
    const [first, second] = [await http.connect(STATELESS), await http.connect(STATELESS)];
    expect(await callTool(first, "file_write", { path: "a.txt", content: "blind" })).toMatchObject({
      code: "conflict",
    });
    for (const client of [first, second]) {
      expect(await callTool(client, "file_read", { path: "a.txt" })).toMatchObject({ success: true });
    }
    expect(await callTool(first, "file_write", { path: "a.txt", content: "two" })).toMatchObject({ success: true });
    expect(await callTool(second, "file_write", { path: "a.txt", content: "lost" })).toMatchObject({
      code: "conflict",
    });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("two");
    const history = await run(["history", "a.txt"]);
    expect(history.out + history.err).toContain("default (test-http)  file_write");
    expect((await run(["audit"])).out).toMatch(/default \(test-http\) {2}file_write/);
    await first.close();
    await second.close();
    await close();
  },
  2 * PROCESSES_MS,
);

test(
  "each request over HTTP can name its workspace, and one that was fixed refuses another",
  async () => {
    const { root, store, close } = await openWorkspace();
    const [one, two] = [join(root, "one"), join(root, "two")];
    for (const folder of [one, two]) {
      await mkdir(folder);
      await writeFile(join(folder, "where.txt"), folder);
    }
    await using http = await connectOverHttp(["--store", store, "mcp", "--default-root", root]);
    const client = await http.connect(STATELESS);
    const read = async (name: unknown, path: string): Promise<unknown> =>
      callTool(client, "file_read", { path }, { "ikigai/workspace": name });
    const both = await Promise.all([read(one, "where.txt"), read(pathToFileURL(two).href, "where.txt")]);
    expect(both).toMatchObject([{ data: { content: one } }, { data: { content: two } }]);
    const written = { path: "new.txt", content: "x" };
    expect(await callTool(client, "file_write", written, { "ikigai/workspace": two })).toMatchObject({ success: true });
    expect(await readFile(join(two, "new.txt"), "utf8")).toBe("x");
    expect(await callTool(client, "file_read", { path: "one/where.txt" })).toMatchObject({ data: { content: one } });
    await expect(read("relative", "where.txt")).rejects.toThrow("does not name a folder of this machine");
    await expect(read(join(root, "none"), "where.txt")).rejects.toThrow("is no folder");
    await expect(read("/", "where.txt")).rejects.toThrow("is the root of the disk and no workspace");
    await client.close();
    await using fixed = await connectOverHttp(["--root", one, "--store", store, "mcp"]);
    const meta = { "ikigai/workspace": two };
    await expect(callTool(fixed.client, "file_read", { path: "where.txt" }, meta)).rejects.toThrow("is not served");
    expect(await callTool(fixed.client, "file_read", { path: "where.txt" }, { "ikigai/workspace": one })).toMatchObject(
      {
        data: { content: one },
      },
    );
    await close();
  },
  2 * PROCESSES_MS,
);
