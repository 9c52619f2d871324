import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testDataBlock } from "@ikigai/core/testing";
import { afterAll, expect, test } from "vitest";
import { serve, TEXTS } from "./fixtures/serve.mjs";
import { httpDirectory } from "./http-directory.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const server = await serve();

afterAll(() => server.close());

testDataBlock({ test, source: httpDirectory, options: () => ({ url: server.url }), seed: TEXTS });

test("the same suite passes under node:test", async () => {
  const fixture = here("fixtures/http-directory.node-test.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", fixture]);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test.each(["broken", "latin-1"])("an answer that is %s is unavailable, not absent", async (path) => {
  const host = { mount: "m", signal: new AbortController().signal, services: {}, warn() {} };
  const source = await httpDirectory.open({ url: server.url, timeoutMs: 5_000 }, host);
  await expect(source.read(path)).rejects.toMatchObject({ code: "unavailable" });
});

test("a source takes under sixty lines", () => {
  expect(readFileSync(here("http-directory.ts"), "utf8").trimEnd().split("\n").length).toBeLessThan(60);
});
