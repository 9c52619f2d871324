import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gatherNotices, type StreamNotices } from "@ikigai/agent";
import { stopKeeper } from "@ikigai/database";
import { startTestServer } from "@ikigai/database/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Following, followChanges } from "@ikigai/host/parts";
import { type Host } from "@ikigai/host";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import { resolveSettings } from "../settings.ts";
import { PROGRAM } from "../testing/program.ts";
import { createTerminal } from "../terminal/terminal.ts";
import { ASSET_CHANGES } from "@ikigai/host/policy";

const run = promisify(execFile);
const WAIT = { timeout: 25_000, interval: 100 };

interface Running extends AsyncDisposable {
  readonly host: Host;
  readonly notices: StreamNotices;
  /** What the conversation is told next. */
  hear(): string;
  write(path: string, content: string): Promise<void>;
}

describe.each(["embedded", "server"] as const)("changes of assets by another process, on the %s engine", (engine) => {
  let base: string;
  let store: string;
  let close: () => Promise<void>;
  const open: Running[] = [];

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "ikigai-stream-"));
    for (const name of ["DATA", "CONFIG"]) vi.stubEnv(`XDG_${name}_HOME`, join(base, name));
    if (engine === "server") {
      const server = await startTestServer();
      [store, close] = [server.url, () => server.stop()];
    } else {
      store = join(base, "store");
      close = () => stopKeeper(join(store, "postgres"));
    }
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await close();
    vi.unstubAllEnvs();
    await rm(base, { recursive: true, force: true });
  });

  /** A program that lives for a while, as a conversation does. */
  async function start(): Promise<Running> {
    const settings = resolveSettings({ root: base, store, approve: "all" });
    const host = await openTerminalHost(settings, createTerminal(true));
    const told = { notify: () => {}, complain: () => {}, conversation: true };
    const following: Following = await followChanges(host, settings, told);
    const notices = gatherNotices(host.sources, { onTaken: (taken) => following.taken(taken) });
    let closed = false;
    const running: Running = {
      host,
      notices,
      hear: () => notices.take() ?? "",
      async write(path, content) {
        expect(await host.registry.call({ name: "file_write", arguments: { path, content } })).toMatchObject({
          success: true,
        });
      },
      async [Symbol.asyncDispose]() {
        if (closed) return;
        closed = true;
        await following[Symbol.asyncDispose]();
        await host.close();
      },
    };
    open.push(running);
    return running;
  }

  const elsewhere = (path: string, content: string): Promise<unknown> =>
    run(process.execPath, [PROGRAM, ...globals(), "tool", "file_write", JSON.stringify({ path, content })]);
  const globals = (): string[] => ["--root", base, "--store", store, "--approve", "all"];

  test("reach a conversation, its own do not, and the place outlives the program", { timeout: 120_000 }, async () => {
    const first = await start();
    await first.write("ikigai:///blocks/mine.md", "own");
    await vi.waitFor(async () => {
      expect(await first.host.store.positions.load("default", ASSET_CHANGES)).toBeDefined();
    }, WAIT);
    await elsewhere("ikigai:///blocks/theirs.md", "1");
    await vi.waitFor(() => expect(first.notices.waiting).toBe(1), WAIT);
    const told = first.hear();
    expect(told).toContain('asset-changes: "blocks/theirs.md" was created by default (ikigai:///blocks/theirs.md)');
    expect(told).not.toContain("mine");
    await first.write("ikigai:///blocks/mine-too.md", "own");
    await first[Symbol.asyncDispose]();

    await elsewhere("ikigai:///blocks/while-away.md", "1");
    const second = await start();
    await second.host.store.open();
    await vi.waitFor(() => expect(second.notices.waiting).toBeGreaterThan(0), WAIT);
    // Nobody took it, so the next program tells it again.
    await second[Symbol.asyncDispose]();

    const third = await start();
    await third.host.store.open();
    await vi.waitFor(() => expect(third.notices.waiting).toBeGreaterThan(0), WAIT);
    const again = third.hear();
    expect(again).toContain("while-away.md");
    expect(again).not.toContain("theirs.md");
    await third[Symbol.asyncDispose]();

    const fourth = await start();
    await fourth.host.store.open();
    await elsewhere("ikigai:///blocks/last.md", "1");
    await vi.waitFor(() => expect(fourth.notices.waiting).toBeGreaterThan(0), WAIT);
    expect(fourth.hear()).not.toContain("while-away");
  });

  test("start no store by themselves", async () => {
    const running = await start();
    expect(running.host.sources.status(ASSET_CHANGES)[0]?.state).toBe("running");
    expect(running.host.store.opened).toBe(false);
  });
});
