import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { gitEnvironment, HARMLESS_GIT } from "./harmless-git.ts";

test("git hears every harmless setting above any file of a repository", () => {
  const env = { PATH: process.env["PATH"], ...gitEnvironment() };
  const listed = execFileSync("git", ["config", "--null", "--show-scope", "--list"], { env, cwd: "/" }).toString();
  for (const [key, value] of Object.entries(HARMLESS_GIT)) {
    expect(listed).toContain(`command\0${key.toLowerCase()}\n${value}\0`);
  }
});

test("other settings take the place of the harmless ones", () => {
  expect(gitEnvironment({ "a.b": "c" })).toMatchObject({
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "a.b",
    GIT_CONFIG_VALUE_0: "c",
  });
});
