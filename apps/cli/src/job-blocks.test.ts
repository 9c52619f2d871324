import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataOf } from "@ikigai/host";
import { openTerminalHost } from "./terminal/terminal-host.ts";
import type { Settings } from "./settings.ts";
import { createTerminal } from "./terminal/terminal.ts";

const terminal = { ...createTerminal(true), interactive: false };
let settings: Settings;
beforeAll(async () => {
  const base = await mkdtemp(join(tmpdir(), "ikigai-jobs-"));
  settings = {
    root: base,
    stateDirectory: join(base, "store"),
    configDirectory: join(base, "config"),
    agent: "ann",
    approve: "all",
    json: false,
    quiet: true,
  };
  const host = await openTerminalHost(settings, terminal);
  await host.store.open();
  await host.close();
});
afterAll(async () => {
  await stopKeeper(join(settings.stateDirectory, "postgres"));
  await rm(settings.root, { recursive: true, force: true });
});

test("a background job is events of a stream, and a log that the block tools read after its process is gone", async () => {
  const host = await openTerminalHost(settings, terminal);
  const heard: string[] = [];
  const ended = new Promise<void>((resolve) => {
    host.sources.onEvent(({ mount, event }) => {
      heard.push(`${mount}: ${event.text}`);
      if ((event.data as { kind: string }).kind === "exit") resolve();
    });
  });
  const command = "echo token=ghp_abcdefghijklmnopqrstuvwxyz0123456789; echo one; exit 3";
  const started = await host.registry.call(
    { name: "bash", arguments: { command, background: true } },
    { agent: "ann" },
  );
  const { log } = dataOf(started) as { log: string };
  await ended;
  expect(heard[0]).toMatch(/^jobs: job-1 started: echo/);
  expect(heard.at(-1)).toBe("jobs: job-1 ended with exit code 3");
  await host.close();

  const later = await openTerminalHost(settings, terminal);
  const loaded = await later.registry.call({ name: "block", arguments: { op: "load", label: log } }, { agent: "ann" });
  const { content, schema } = dataOf(loaded) as { content: string; schema: string };
  expect(schema).toBe("log");
  expect(content).toMatch(/started: [\s\S]*one\n[\s\S]*job-1 ended with exit code 3/);
  expect(content).not.toContain("ghp_abcdefghijklmnop");
  await later.close();
});
