import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SaveTraces } from "@ikigai/core/host";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

/** A save that has taken the name of `path` away and gives it back when somebody asks for the names that saves took. */
async function openDuringSave(path: string): Promise<TestHost & { readonly asked: string[] }> {
  const asked: string[] = [];
  let isBack = false;
  const saves: SaveTraces = {
    names: ".saving-*",
    taken(root) {
      asked.push(root);
      const file = join(host.root, path);
      if (!isBack) renameSync(join(host.root, ".saving-1"), file);
      isBack = true;
      return file.startsWith(`${root}/`) ? [file] : [];
    },
  };
  const host: TestHost = await openTestHost({ saves });
  mkdirSync(join(host.root, "src"));
  writeFileSync(join(host.root, ".saving-1"), "a needle\n");
  writeFileSync(join(host.root, "src/b.ts"), "a needle\n");
  return Object.assign(host, { asked });
}

const SRC_A = { path: "src/a.ts", line: 1, text: "a needle" };
const SRC_B = { path: "src/b.ts", line: 1, text: "a needle" };

test("grep finds a match in a file whose name was absent while it searched, in the order of the paths", async () => {
  await using host = await openDuringSave("src/a.ts");
  expect(await host.data("grep", { pattern: "needle" })).toEqual({ matches: [SRC_A, SRC_B], count: 2, left: 0 });
  expect(await host.data("grep", { pattern: "needle" })).toEqual({ matches: [SRC_A, SRC_B], count: 2, left: 0 });
});

test("glob finds a file whose name was absent while it searched", async () => {
  await using host = await openDuringSave("src/a.ts");
  const found = await host.data("glob", { pattern: "**/*.ts" });
  expect(found).toMatchObject({ count: 2, left: 0 });
  expect((found["paths"] as string[]).toSorted()).toEqual(["src/a.ts", "src/b.ts"]);
  expect(await host.data("glob", { pattern: "**/*.ts" })).toMatchObject({ count: 2 });
});

test.each(["grep", "glob"])(
  "%s leaves out a file that was being saved and does not fit, or lies elsewhere",
  async (tool) => {
    await using host = await openDuringSave("src/a.md");
    const input = tool === "grep" ? { pattern: "needle", glob: "*.ts" } : { pattern: "*.ts" };
    expect(await host.data(tool, { ...input, path: "src" })).toMatchObject({ count: 1 });
    expect(host.asked).toEqual([join(host.root, "src")]);
  },
);

test.each([
  ["grep", { pattern: "needle" }],
  ["glob", { pattern: "a.ts" }],
])("%s of one file that is being saved waits for the file", async (tool, input) => {
  await using host = await openDuringSave("src/a.ts");
  expect(await host.data(tool, { ...input, path: "src/a.ts" })).toMatchObject({ count: 1 });
  expect(await host.call(tool, { ...input, path: "src/never.ts" })).toMatchObject({ code: "not_found" });
});

test("a file that was being saved is named by the folder that was searched, also through a link", async () => {
  await using host = await openDuringSave("src/a.ts");
  symlinkSync("src", join(host.root, "linked"));
  const { matches } = await host.data("grep", { pattern: "needle", path: "linked" });
  expect((matches as { path: string }[]).map(({ path }) => path)).toEqual(["linked/a.ts", "linked/b.ts"]);
});

test("files that exist during a save only are not found", async () => {
  await using host = await openDuringSave("src/a.ts");
  writeFileSync(join(host.root, ".saving-2"), "a needle\n");
  expect(await host.data("glob", { pattern: "**" })).toMatchObject({ count: 2 });
  expect(await host.data("grep", { pattern: "needle" })).toMatchObject({ count: 2 });
});
