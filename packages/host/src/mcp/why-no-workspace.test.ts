import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
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
  const project = join(base, "project");
  await mkdir(project);
  expect(whyNoWorkspace(project, base)).toBeUndefined();
});

test("a folder that holds the home folder, also behind a link, is no workspace; one whose name only begins like it is", async () => {
  const users = join(base, "users");
  await mkdir(join(users, "ana", "project"), { recursive: true });
  await mkdir(join(users, "an"));
  await symlink(users, join(base, "link"));
  const home = join(users, "ana");
  for (const above of [base, users, join(base, "link")])
    expect(whyNoWorkspace(above, home)).toContain(`${above} is a folder that holds your home folder and no workspace`);
  expect(whyNoWorkspace(join(users, "an"), home)).toBeUndefined();
  expect(whyNoWorkspace(join(home, "project"), home)).toBeUndefined();
});
