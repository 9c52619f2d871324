import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const HOST = fileURLToPath(new URL("../../fixtures/host.mjs", import.meta.url));

interface Ran {
  readonly rss: number;
  readonly answeredAt: number;
  readonly answers: readonly [
    { readonly data: { readonly output: string; readonly kept?: { readonly total_bytes: number } } },
  ];
}

function runHost(command: string): Ran {
  const folder = mkdtempSync(join(tmpdir(), "shell-test-"));
  try {
    const { stdout } = spawnSync(process.execPath, [HOST, folder, JSON.stringify({ command })], { encoding: "utf8" });
    return JSON.parse(stdout) as Ran;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each([
  ["text", "yes 'a line of some length, as programs print them' | head -c 3000000000", 3_000_000_000],
  ["zeros", "head -c 3000000000 /dev/zero", 3_000_000_000],
  ["noise", "head -c 500000000 /dev/urandom", 500_000_000],
])("a flood of %s takes less than 150 MB more than nothing", { timeout: 300_000 }, (name, command, bytes) => {
  const base = runHost("true");
  const flood = runHost(command);
  expect(flood.answers[0].data.kept?.total_bytes).toBe(bytes);
  const more = flood.rss - base.rss;
  process.stderr.write(`${name}: ${Math.round(more / 1e6)} MB over ${Math.round(base.rss / 1e6)} MB\n`);
  expect(more).toBeLessThan(150e6);
});

test("the result of a flood comes within a second of the command's end", { timeout: 300_000 }, () => {
  const { answers, answeredAt } = runHost("yes | head -c 3000000000; date +%s.%N >&2");
  const ended = Number(/(\d{10}\.\d+)\n$/.exec(answers[0].data.output)?.[1]);
  expect(answeredAt / 1_000 - ended).toBeLessThan(1);
});
