import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testDataStream } from "@ikigai/core/testing";
import { expect, test } from "vitest";
import { tickerStream } from "./ticker-stream.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

testDataStream({ test, source: tickerStream, options: () => ({ everyMs: 2 }) });

test("the same suite passes under node:test", async () => {
  const fixture = here("fixtures/ticker-stream.node-test.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", fixture]);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test("a source takes under sixty lines", () => {
  expect(readFileSync(here("ticker-stream.ts"), "utf8").trimEnd().split("\n").length).toBeLessThan(60);
});
