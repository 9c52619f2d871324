import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { permissionOpinion } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { compilePathGlob } from "./glob.ts";
import { setFileRules } from "./set-file-rules.ts";
import { codeOf, createWorkspace } from "./testing/workspace.ts";

test("the first matching rule counts, and without one deleting asks", async () => {
  const source = await createWorkspace().open({
    rules: [
      { glob: "docs/keep/**", permission: "admin" },
      { glob: "docs/**", permission: "read_only" },
      { glob: "**/*.{log,journal}", permission: "append" },
    ],
  });
  expect(source.permission?.("docs/keep/a.md")).toBe("admin");
  expect(source.permission?.("docs/a.md")).toBe("read_only");
  expect(source.permission?.("deep/er/x.journal")).toBe("append");
  expect(source.permission?.("src/a.ts")).toBe("read_write");
  expect(permissionOpinion(source.permission?.("src/a.ts") ?? "admin", "delete", "x").decision).toBe("ask");
});

test("a rule is enforced by the source itself, whoever asks", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/folder/fixed`, "fixed");
  writeFileSync(`${workspace.root}/folder/log`, "one\n");
  const source = await workspace.open({
    rules: [
      { glob: "folder/fixed", permission: "read_only" },
      { glob: "folder/log", permission: "append" },
    ],
  });
  expect((await source.read("folder/fixed"))?.text).toBe("fixed");
  expect(await codeOf(source.write("folder/fixed", "changed"))).toBe("permission_denied");
  expect(await codeOf(source.remove("folder/fixed"))).toBe("permission_denied");
  expect(await codeOf(source.write("folder/log", "rewritten"))).toBe("permission_denied");
  expect(await codeOf(source.remove("folder/log"))).toBe("permission_denied");
  await source.write("folder/log", "one\ntwo\n");
  expect((await source.read("folder/log"))?.text).toBe("one\ntwo\n");
});

test("a link cannot open what the rules close: the stricter of both paths counts", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/folder/fixed`, "fixed");
  symlinkSync("folder", `${workspace.root}/way`);
  mkdirSync(`${workspace.root}/open`);
  symlinkSync("../folder/fixed", `${workspace.root}/open/link`);
  const source = await workspace.open({ rules: [{ glob: "folder/**", permission: "read_only" }] });
  expect(source.permission?.("way/fixed")).toBe("read_only");
  expect(source.permission?.("way/new/deep")).toBe("read_only");
  expect(source.permission?.("open/link")).toBe("read_only");
  expect(source.permission?.("open/other")).toBe("read_write");
  for (const path of ["way/fixed", "open/link"]) {
    expect(await codeOf(source.write(path, "changed"))).toBe("permission_denied");
    expect(await codeOf(source.remove(path))).toBe("permission_denied");
  }
  expect(await codeOf(source.write("way/new", "changed"))).toBe("permission_denied");
});

test("rules are exchanged while the source runs, and an invalid one leaves the old in force", async () => {
  const source = await createWorkspace().open({ rules: [{ glob: "a", permission: "read_only" }] });
  setFileRules({ ...source }, [{ glob: "b", permission: "read_only" }]);
  expect(source.permission?.("a")).toBe("read_write");
  expect(() =>
    setFileRules(source, [
      { glob: "c", permission: "read_only" },
      { glob: "{d", permission: "append" },
    ]),
  ).toThrow("Rule 2");
  expect(source.permission?.("b")).toBe("read_only");
  expect(() => setFileRules({}, [])).toThrow("not a folder");
});

test.each([
  "",
  "/etc/**",
  "../x",
  "a/./b",
  "!a",
  "a\0b",
  "[a",
  "{a,b",
  "a}",
  "a\\",
  "a".repeat(513),
  "{a,b}{c,d}".repeat(4),
])("the glob %j is a configuration error", async (glob) => {
  expect(() => compilePathGlob(glob)).toThrow("not a usable glob");
  const workspace = createWorkspace();
  expect(await codeOf(workspace.open({ rules: [{ glob, permission: "read_only" }] }))).toBe("invalid_input");
});

test.each([
  ["src/**", "src/a/b.ts", true],
  ["src/**", "src", false],
  ["*.md", "a.md", true],
  ["*.md", "x/a.md", false],
  ["**/*.md", ".hidden/a.md", true],
  ["[[]x", "[x", true],
  ["[]x]", "]", true],
  ["[!]]", "a", true],
  ["a\\*", "a*", true],
  ["{a,b}/{c,d}", "b/c", true],
])("the glob %j on %j: %j", (glob, path, expected) => {
  expect(compilePathGlob(glob)(path)).toBe(expected);
});

test("a hostile glob answers at once", () => {
  const match = compilePathGlob(`${"*a".repeat(200)}b`);
  const started = process.cpuUsage();
  expect(match("a".repeat(4_000))).toBe(false);
  expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
});
