import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openPty, type Pty } from "../screen/testing/open-pty.ts";

let base: string;

vi.setConfig({ testTimeout: 90_000 });
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-login-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const login = (): Pty =>
  openPty(["--root", base, "login", "openai"], { env: { XDG_CONFIG_HOME: base, XDG_DATA_HOME: base } });

test("a key that is typed is never shown, and lies in a file that only its owner can read", async () => {
  await using pty = login();
  await pty.see(/Key for openai \(not shown\):/);
  pty.type("sk-s3cret\u007ft!\r");
  expect(await pty.exited).toBe(0);
  expect(pty.raw).toContain("Kept the key for openai");
  expect(pty.raw).not.toMatch(/s3cre|sk-/);
  const file = join(base, "ikigai", "credentials.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ openai: "sk-s3cret!" });
});

test("Ctrl-C at the question keeps nothing, and so does an empty answer", async () => {
  await using stopped = login();
  await stopped.see(/Key for openai/);
  stopped.type("sk-half\u0003");
  await stopped.exited;
  expect(stopped.raw).not.toMatch(/sk-|Kept/);
  await using left = login();
  await left.see(/Key for openai/);
  left.type("\u0004");
  expect(await left.exited).toBe(2);
  await expect(stat(join(base, "ikigai", "credentials.json"))).rejects.toThrow("ENOENT");
});
