import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestServer, type TestServer } from "@ikigai/database/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Host } from "../host.ts";
import { openHost } from "../open-host.ts";

let base: string;
let server: TestServer;
let dataHome: string | undefined;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-server-host-"));
  server = await startTestServer();
  dataHome = process.env["XDG_DATA_HOME"];
  process.env["XDG_DATA_HOME"] = join(base, "data");
});
afterAll(async () => {
  if (dataHome === undefined) delete process.env["XDG_DATA_HOME"];
  else process.env["XDG_DATA_HOME"] = dataHome;
  await server.stop();
  await rm(base, { recursive: true, force: true });
});

function open(agent: string): Promise<Host> {
  return openHost({
    root: base,
    store: server.url,
    agent,
    configDirectory: join(base, "config"),
    approve: async () => ({ approved: true, by: "me" }),
  });
}

test(
  "a host whose store is the address of a server keeps assets, history, undo and budget there",
  { timeout: 120_000 },
  async () => {
    const path = "ikigai:///blocks/a.md";
    {
      await using host = await open("ana");
      expect(await host.call({ name: "file_write", arguments: { path, content: "x is here" } })).toMatchObject({
        success: true,
      });
      expect(await host.call({ name: "file_edit", arguments: { path, old: "x", new: "y" } })).toMatchObject({
        success: true,
      });
      expect(await host.command("/pin blocks/a")).toMatchObject({ success: true });
    }
    await using later = await open("ana");
    expect(await later.call({ name: "file_read", arguments: { path } })).toMatchObject({
      data: { content: "y is here" },
    });
    expect((await later.store.pins.status("ana")).pins).toMatchObject([{ uri: path }]);
    expect(await later.command("/undo blocks/a")).toMatchObject({ success: true });
    await using other = await open("bob");
    expect(await other.call({ name: "file_read", arguments: { path } })).toMatchObject({ code: "not_found" });
    expect((await later.store.open()).database.engine).toBe("server");
    expect(await readdir(join(base, "data/ikigai")).catch(() => [])).not.toContain("postgres");
  },
);
