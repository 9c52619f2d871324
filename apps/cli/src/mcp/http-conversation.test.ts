import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing.ts";
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
  PROCESSES_MS,
);
