import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { type DirectoryItem, type FileOps, fileOps } from "./file-ops.ts";
import { faultyOps } from "./testing/faulty-ops.ts";
import { createWorkspace, pathsOf, type Workspace } from "./testing/workspace.ts";

const PATH = "folder/a.md";

/**
 * Saves a file that others write too, and runs `look` in the moment in which its name is absent.
 *
 * Contract: resolves when the save has ended and its lock is given up.
 */
async function saveWhile({ root, open }: Workspace, look: () => void): Promise<void> {
  let armed = false;
  const { ops } = faultyOps((name) => {
    if (armed && name === "linkSync") look();
    return undefined;
  });
  const saver = await open({}, { ops });
  for (const text of ["somebody's", "another's", "old"]) {
    await saver.read(PATH);
    writeFileSync(`${root}/${PATH}`, text);
  }
  const { version = "" } = (await saver.read(PATH)) ?? {};
  armed = true;
  await saver.write(PATH, "new", { expected: version });
}

test("a file that was looked for while its name was absent is read, also when the save has ended by then", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/${PATH}`, "first");
  let seen: unknown;
  let looked = false;
  const lstat: FileOps["lstat"] = async (path) => {
    if (looked || !path.endsWith("a.md")) return fileOps.lstat(path);
    looked = true;
    await saveWhile(workspace, () => {
      try {
        seen = lstatSync(path);
      } catch (error) {
        seen = error;
      }
    });
    throw seen;
  };
  const reader = await workspace.open({}, { ops: { ...fileOps, lstat } });
  expect((await reader.read(PATH))?.text).toBe("new");
  expect(seen).toMatchObject({ code: "ENOENT" });
});

test("a file whose name was absent when its folder was read is listed", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/${PATH}`, "first");
  let early: Promise<readonly DirectoryItem[]> | undefined;
  const { ops } = faultyOps(() => undefined);
  const reader = await workspace.open(
    {},
    {
      ops: {
        ...ops,
        async readdir(path) {
          if (early !== undefined || !(await readdir(path)).includes("a.md")) return ops.readdir(path);
          let items: readonly DirectoryItem[] = [];
          await saveWhile(workspace, () => {
            items = readdirSync(`${workspace.root}/folder`).map((name) => ({ name, kind: "file" }));
          });
          early = Promise.resolve(items);
          return items;
        },
      },
    },
  );
  expect(await pathsOf(reader)).toEqual([PATH]);
  expect((await early)?.map(({ name }) => name)).not.toContain("a.md");
});

test("a file that a person removed is absent, also where saves met shortly before", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/${PATH}`, "first");
  await saveWhile(workspace, () => {});
  const reader = await workspace.open();
  await reader.remove(PATH);
  expect(await reader.read(PATH)).toBeUndefined();
  expect(await pathsOf(reader)).toEqual([]);
});
