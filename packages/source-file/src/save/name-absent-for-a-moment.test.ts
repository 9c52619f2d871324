import { closeSync, lstatSync, openSync, readdirSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { type DirectoryItem, type FileOps, fileOps } from "../file-ops.ts";
import type { FileBlock } from "../open-file-source.ts";
import { deadOwner, faultyOps, killedAt } from "../testing/faulty-ops.ts";
import { createWorkspace, pathsOf, type Workspace } from "../testing/workspace.ts";

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

/** Opens a reader whose first look at `a.md` by `call` finds no name, because of a save that has ended when it is told so. */
async function openMissing(workspace: Workspace, call: "lstat" | "lstatSync"): Promise<FileBlock> {
  let seen: Error | undefined;
  const miss = (path: string): void => {
    const error = path.endsWith("a.md") ? seen : undefined;
    if (error === undefined) return;
    seen = undefined;
    throw error;
  };
  return workspace.open(
    {},
    {
      ops: {
        ...fileOps,
        async readdir(path) {
          const items = await fileOps.readdir(path);
          if (seen === undefined)
            await saveWhile(workspace, () => {
              try {
                lstatSync(`${workspace.root}/${PATH}`);
              } catch (error) {
                seen = error as Error;
              }
            });
          return items;
        },
        lstatSync(path) {
          if (call === "lstatSync") miss(path);
          return fileOps.lstatSync(path);
        },
        async lstat(path) {
          if (call === "lstat") miss(path);
          return fileOps.lstat(path);
        },
      },
    },
  );
}

test("a file whose name was absent between the look at its folder and the look at itself is listed", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/${PATH}`, "first");
  const reader = await openMissing(workspace, "lstatSync");
  expect(await pathsOf(reader, "folder/")).toEqual([PATH]);
});

test("a link is listed although the file that it leads to had no name when it was looked at", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/${PATH}`, "first");
  symlinkSync("a.md", `${workspace.root}/folder/link.md`);
  const reader = await openMissing(workspace, "lstat");
  expect(await pathsOf(reader, "folder/")).toEqual([PATH, "folder/link.md"]);
});

test("a file of a long folder is listed, also when the folder was read in steps between which the file was exchanged", async () => {
  const workspace = createWorkspace();
  const others = Array.from({ length: 100 }, (_, at) => `folder/b${100 + at}.md`);
  for (const path of [PATH, ...others]) writeFileSync(`${workspace.root}/${path}`, "first");
  let isFirst = true;
  const readdir: FileOps["readdir"] = async (path) => {
    if (isFirst) await saveWhile(workspace, () => {});
    const items = await fileOps.readdir(path);
    if (!isFirst) return items;
    isFirst = false;
    return items.filter(({ name }) => name !== "a.md");
  };
  const reader = await workspace.open({}, { ops: { ...fileOps, readdir } });
  expect(await pathsOf(reader, "folder/")).toEqual([PATH, ...others]);
});

test("a file whose saver died while the name was absent is listed by those who run on", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/${PATH}`, "first");
  const reader = await workspace.open();
  expect(await pathsOf(reader)).toEqual([PATH]);
  let isDead = false;
  const { ops } = faultyOps((name, index) => {
    isDead ||= name === "linkSync";
    return isDead ? killedAt(0)(name, index, []) : undefined;
  });
  const saver = await workspace.open({}, { ops, owner: deadOwner() });
  for (const text of ["somebody's", "another's", "old"]) {
    await saver.read(PATH);
    writeFileSync(`${workspace.root}/${PATH}`, text);
  }
  const { version = "" } = (await saver.read(PATH)) ?? {};
  await expect(saver.write(PATH, "new", { expected: version })).rejects.toThrow("killed");
  expect(readdirSync(`${workspace.root}/folder`)).not.toContain("a.md");
  expect(await pathsOf(reader)).toEqual([PATH]);
  expect((await reader.read(PATH))?.text).toBe("old");
});

test("a file whose removal was refused at the last moment is read and listed by those who saw its name absent", async () => {
  const workspace = createWorkspace();
  const { root } = workspace;
  writeFileSync(`${root}/${PATH}`, "first");
  let seen: unknown;
  let isPersonIn = false;
  // The person writes into the file that the removal has just taken; the reader looks in the same moment.
  const ops: FileOps = {
    ...fileOps,
    renameSync(from, to) {
      const fd = openSync(`${root}/${PATH}`, "r+");
      fileOps.renameSync(from, to);
      isPersonIn = true;
      writeSync(fd, "person", 0);
      closeSync(fd);
      try {
        lstatSync(`${root}/${PATH}`);
      } catch (error) {
        seen = error;
      }
    },
  };
  const remover = await workspace.open({}, { ops });
  const lstat: FileOps["lstat"] = async (path) => {
    if (isPersonIn || !path.endsWith("a.md")) return fileOps.lstat(path);
    await expect(remover.remove(PATH)).rejects.toMatchObject({ code: "conflict" });
    throw seen;
  };
  const reader = await workspace.open({}, { ops: { ...fileOps, lstat } });
  expect((await reader.read(PATH))?.text).toBe("person");
  expect(seen).toMatchObject({ code: "ENOENT" });
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
