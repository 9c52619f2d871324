import { appendFile, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import { resolveSettings } from "../settings.ts";
import { createTerminal } from "../terminal/terminal.ts";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

const openTestHost = (): ReturnType<typeof openTerminalHost> =>
  openTerminalHost(
    resolveSettings({ root: workspace.root, store: workspace.store, approve: "edits" }),
    createTerminal(true),
  );

/** Before, the row of each of these stayed at the head of the spool, and no call of any project could write again. */
const ODD = ["\0", "\ud800", "\udc00x", "x\0".repeat(5_000), "🐢".repeat(9_000)];

test("whatever name and id a model makes up, later calls of everybody are done and written down", async () => {
  const host = await openTestHost();
  for (const [n, odd] of ODD.entries()) {
    const unknown = await host.registry.call({ id: odd, name: odd, arguments: {} }, { conversation: odd, client: odd });
    expect(unknown).toMatchObject({ success: false, code: "not_found" });
    const path = `odd-${n}.md`;
    const done = await host.registry.call(
      { id: `${odd}${n}`, name: "file_write", arguments: { path, content: "kept" } },
      { conversation: odd, client: odd },
    );
    expect(done).toMatchObject({ success: true });
    const [change] = await host.store.journal.ofCall(`${odd}${n}`);
    expect(change).toMatchObject({ uri: `file:///${path}`, state: "done" });
  }
  await host.close();

  const next = await openTestHost();
  const rows = await next.store.audit.read({ limit: 1_000 });
  expect(rows.filter(({ tool }) => tool === "file_write")).toHaveLength(2 * ODD.length);
  expect(rows.filter(({ outcome }) => outcome === "not_found")).toHaveLength(ODD.length);
  expect(await next.store.refused()).toEqual([]);
  await next.close();
});

test("rows that no store takes are set aside and told, by a line, by doctor and by the status", async () => {
  await mkdir(workspace.store, { recursive: true });
  const spool = join(workspace.store, "audit.jsonl");
  await appendFile(spool, `\n{"id":"no uuid","at":"never","phase":"intent","tool":"x"}\n`);
  const write = await workspace.run(["--approve", "edits", "tool", "file_write", '{"path":"a.md","content":"x"}']);
  expect(JSON.parse(write.out)).toMatchObject({ success: true });
  expect(write.err).toContain(`the store refused 1 audit rows, which are set aside in ${spool}.refused`);
  expect(await readFile(join(workspace.root, "a.md"), "utf8")).toBe("x");
  const doctor = await workspace.run(["doctor"]);
  expect(doctor.out).toContain(`warn  store: 1 rows were refused by the store and set aside in ${spool}.refused`);
  const status = JSON.parse((await workspace.run(["store", "status", "--json"])).out) as object;
  expect(status).toMatchObject({ refused: [{ file: `${spool}.refused`, rows: 1 }] });
  expect((await stat(`${spool}.refused`)).mode & 0o777).toBe(0o600);
});
