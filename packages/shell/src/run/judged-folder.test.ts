import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createPolicy, type PolicyLayer } from "@ikigai/core/host";
import { expect, onTestFinished, test } from "vitest";
import { holdFolder, judgeFolder } from "./judged-folder.ts";
import { openTestHost } from "../testing/test-host.ts";

const run = promisify(execFile);

function createFolders(): { readonly root: string; readonly outside: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-folder-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(outside);
  return { root, outside };
}

/** Puts something else where the folder was. */
function exchange(root: string, outside: string, by: "link" | "folder" | "nothing"): void {
  renameSync(join(root, "sub"), join(root, "moved"));
  if (by === "link") symlinkSync(outside, join(root, "sub"));
  if (by === "folder") mkdirSync(join(root, "sub"));
}

test.each(["link", "folder", "nothing"] as const)(
  "a folder that was exchanged for a %s after the judgement is not run in",
  async (by) => {
    const { root, outside } = createFolders();
    const judged = await judgeFolder(root, "sub");
    exchange(root, outside, by);
    await expect(holdFolder(judged)).rejects.toMatchObject({ code: "conflict", message: /is another one than/ });
  },
);

test.skipIf(process.platform !== "linux")(
  "a folder that is exchanged for a link after it is held still is where the command starts",
  async () => {
    const { root, outside } = createFolders();
    await using held = await holdFolder(await judgeFolder(root, "sub"));
    exchange(root, outside, "link");
    const { stdout } = await run("/bin/pwd", ["-P"], { cwd: held.path });
    expect(stdout).toBe(`${join(root, "moved")}\n`);
  },
);

test("bash runs nothing when its folder is exchanged while a person is asked", async () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-outside-")));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  let root = "";
  const person: PolicyLayer = {
    name: "person",
    judge() {
      exchange(root, outside, "link");
      return undefined;
    },
  };
  const policy = createPolicy({ mode: () => "all", layers: [person] });
  await using host = await openTestHost({ policy: () => policy });
  root = host.root;
  mkdirSync(join(host.root, "sub"));
  const answer = await host.call("bash", { command: "touch here", cwd: "sub" });
  expect(answer).toMatchObject({ success: false, code: "conflict" });
  expect((await run("/bin/ls", [outside])).stdout).toBe("");
});
