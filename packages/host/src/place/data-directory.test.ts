import { join } from "node:path";
import { expect, test } from "vitest";
import { dataDirectory } from "./data-directory.ts";

test("state lives where the platform keeps it", () => {
  expect(dataDirectory({}, "linux", "/home/a")).toBe(join("/home/a", ".local", "share", "ikigai"));
  expect(dataDirectory({ XDG_DATA_HOME: "/data" }, "linux", "/home/a")).toBe(join("/data", "ikigai"));
  expect(dataDirectory({}, "darwin", "/Users/a")).toContain("Application Support");
  expect(dataDirectory({ LOCALAPPDATA: "/local" }, "win32", "/a")).toBe(join("/local", "ikigai"));
  expect(dataDirectory({}, "win32", "/a")).toBe(join("/a", "AppData", "Local", "ikigai"));
});
