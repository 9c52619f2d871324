import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { defaultStoreDirectory, userCacheDirectory } from "./options.ts";

afterEach(() => vi.unstubAllEnvs());

test("a variable that is empty counts as none, so that nothing is made in the current folder", () => {
  vi.stubEnv("XDG_CACHE_HOME", "");
  vi.stubEnv("XDG_DATA_HOME", "");
  for (const folder of [userCacheDirectory(), defaultStoreDirectory()]) {
    expect(isAbsolute(folder)).toBe(true);
    expect(folder.startsWith(homedir())).toBe(true);
  }
});
