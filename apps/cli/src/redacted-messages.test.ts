import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const BIN = fileURLToPath(new URL("../bin/ikigai.js", import.meta.url));

/** What the command writes to standard error. */
function complaintOf(args: readonly string[], home: string): Promise<string> {
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [BIN, ...args],
      { cwd: home, env: { ...env, DEPLOY_TOKEN: "hunter2hunter2" } },
      (_error, _out, text) => resolve(text),
    );
  });
}

test("a secret in an error is not written to standard error", async () => {
  const home = await mkdtemp(join(tmpdir(), "ikigai-messages-"));
  const key = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
  const shaped = await complaintOf(["--root", `/nowhere/${key}`, "tool", "file_read", "{}"], home);
  expect(shaped).toContain("/nowhere/[redacted:github-token]");
  expect(shaped).not.toContain(key.slice(0, 12));
  const known = await complaintOf(["--root", "/nowhere/hunter2hunter2", "tool", "file_read", "{}"], home);
  expect(known).toContain("/nowhere/");
  expect(known).not.toContain("hunter2hunter2");
  await rm(home, { recursive: true });
});
