import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { probePlugin } from "./probe.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "ikigai-probe-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function plugin(name: string, top: string, open = ""): Promise<string> {
  const file = join(folder, name);
  await writeFile(
    file,
    `import { spawn } from "node:child_process"; import { readFileSync, writeFileSync } from "node:fs"; ${top}
     export const source = { name: "x", kind: "block", contract: 1, capabilities: [],
       options: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } },
       async open(options) { ${open}; return { read: async () => undefined, async *list() {} }; } };`,
  );
  return pathToFileURL(file).href;
}

/** How many processes sleep for exactly that long. */
function sleeping(seconds: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${Number(pid)}/cmdline`, "latin1") === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  }).length;
}

test("options reach a plugin that is probed, and nobody who lists the processes", async () => {
  const seen = join(folder, "seen");
  const look = `writeFileSync(${JSON.stringify(seen)}, JSON.stringify([options, readFileSync("/proc/self/cmdline", "latin1")]))`;
  const location = await plugin("looks.mjs", "", look);
  const options = { password: "hunter2" };
  await probePlugin("looks", location, 20_000, { wanted: "source", mount: "x", options, timeoutMs: 20_000 });
  const [given, line] = JSON.parse(readFileSync(seen, "utf8")) as [unknown, string];
  expect(given).toEqual(options);
  expect(line).toContain("looks.mjs");
  expect(line).not.toContain("hunter2");
});

test.each([
  ["is fine", ""],
  ["exits", "process.exit(0);"],
  ["loops", "for (;;);"],
])("nothing that a plugin started survives its probe when it %s", async (_, then) => {
  const seconds = String(process.hrtime.bigint());
  const start = `spawn("sleep", ["${seconds}"], { detached: true, env: {}, stdio: "ignore" }).unref();`;
  const location = await plugin(`starts-${seconds}.mjs`, `${start} ${then}`);
  await probePlugin("starts", location, 3_000).catch(() => {});
  expect(sleeping(seconds)).toBe(0);
});
