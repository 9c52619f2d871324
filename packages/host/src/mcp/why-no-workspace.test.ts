import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { whyNoWorkspace } from "./why-no-workspace.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-home-"));
});
afterEach(() => rm(base, { recursive: true }));

test("the root of the disk and the home folder, also behind a link, are no workspace; a folder in it is", async () => {
  const link = join(base, "link");
  await symlink(base, link);
  expect(whyNoWorkspace("/", base)).toMatch(/^\/ is the root of the disk and no workspace, so only memory is served/);
  expect(whyNoWorkspace(base, base)).toContain("is your home folder");
  expect(whyNoWorkspace(link, base)).toContain("is your home folder");
  expect(whyNoWorkspace(base, join(base, "absent"))).toBeUndefined();
  expect(whyNoWorkspace(base, link)).toContain("is your home folder");
  expect(whyNoWorkspace(tmpdir(), base)).toBeUndefined();
});
