import { expect, test } from "vitest";
import { findPackage, workspacePackages } from "./workspace-packages.mjs";

test.each([
  ["its name", "@ikigai/notes", "@ikigai/notes"],
  ["its name without the scope", "notes", "@ikigai/notes"],
  ["its folder", "packages/notes", "@ikigai/notes"],
  ["its folder as a shell completes it", "apps/cli/", "ikigai"],
])("a package is meant by %s", (_, meant, name) => {
  expect(findPackage(meant)?.name).toBe(name);
});

test.each(["packages", "packages/notes/src", "tools/docs", "--coverage", "absent", ""])(
  "%j means no package, and is left to the tests",
  (meant) => {
    expect(findPackage(meant)).toBeUndefined();
  },
);

test("a package of one word is found by it, and every package has a name of its own", () => {
  const names = workspacePackages().map(({ name }) => name);
  expect(names).toContain("create-ikigai-source");
  expect(new Set(names).size).toBe(names.length);
});
