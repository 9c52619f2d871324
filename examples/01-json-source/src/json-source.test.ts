import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testDataBlock } from "@ikigai/core/testing";
import { afterAll, expect, test } from "vitest";
import { jsonSource } from "./json-source.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "json-source-"));
let files = 0;
const options = () => ({ file: join(folder, `${++files}.json`) });
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

afterAll(() => rmSync(folder, { recursive: true }));

testDataBlock({ test, source: jsonSource, options });

test("the same suite passes under node:test", async () => {
  const { stdout } = await run(process.execPath, [
    "--test",
    "--test-reporter=tap",
    here("fixtures/json-source.node-test.mjs"),
  ]);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test("of the saves of several processes none that was acknowledged is lost", async () => {
  const { file } = options();
  const writers = ["a", "b", "c"].map((name) => run(process.execPath, [here("fixtures/count.mjs"), file, name, "15"]));
  await Promise.all(writers);
  const source = await jsonSource.open(
    { file },
    { mount: "m", signal: new AbortController().signal, services: {}, warn() {} },
  );
  expect((await source.read("counter"))?.text).toBe("45");
});

test("a source takes under sixty lines", () => {
  expect(readFileSync(here("json-source.ts"), "utf8").trimEnd().split("\n").length).toBeLessThan(60);
});
