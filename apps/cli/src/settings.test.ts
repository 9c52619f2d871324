import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type GlobalFlags, resolveSettings, type Settings } from "./settings.ts";

const XDG_DATA_HOME = join(tmpdir(), "ikigai-no-such-folder");
const settingsOf = (env: NodeJS.ProcessEnv, flags: GlobalFlags = {}): Settings =>
  resolveSettings({ root: tmpdir(), ...flags }, { XDG_DATA_HOME, ...env });

test.each(["postgres://a@b/c", "postgresql://a@b/c", "POSTGRES://a@b/c"])("%s is a server", (url) => {
  expect(settingsOf({ DATABASE_URL: url }).storeUrl).toBe(url);
  expect(settingsOf({}, { store: url }).storeUrl).toBe(url);
});

test.each(["mysql://root:secret@host/db", "garbage-secret", "./folder-secret", "host:secret", "postgres:secret"])(
  "a DATABASE_URL of %s is misuse, and what it holds is not repeated",
  (url) => {
    const attempt = (): unknown => settingsOf({ DATABASE_URL: url });
    expect(attempt).toThrow(expect.objectContaining({ code: "invalid_input" }));
    expect(attempt).not.toThrow("secret");
    expect(attempt).toThrow("DATABASE_URL");
  },
);

test("an empty DATABASE_URL is none", () => {
  expect(settingsOf({ DATABASE_URL: "" })).toMatchObject({ stateDirectory: join(XDG_DATA_HOME, "ikigai") });
  expect(settingsOf({ DATABASE_URL: "" }).storeUrl).toBeUndefined();
});

test("--store takes a folder, whatever the environment says, and no other kind of server", () => {
  const folder = join(XDG_DATA_HOME, "own");
  expect(settingsOf({ DATABASE_URL: "garbage" }, { store: folder }).stateDirectory).toBe(folder);
  for (const store of ["mysql://root:secret@host/db", "file:///tmp/x", ""]) {
    const attempt = (): unknown => settingsOf({}, { store });
    expect(attempt).toThrow(expect.objectContaining({ code: "invalid_input" }));
    expect(attempt).not.toThrow("secret");
  }
});
