import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { type FileOps, fileOps } from "../file-ops.ts";
import { lockFolder } from "../lock/lock-folder.ts";
import { codeOf, createWorkspace, pathsOf, type Workspace } from "../testing/workspace.ts";

const at = ({ root }: Workspace, path: string): string => `${root}/${path}`;

test("touching a file is no conflict", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "a.md"), "text");
  const source = await workspace.open();
  const { version } = (await source.read("a.md")) ?? { version: "" };
  utimesSync(at(workspace, "a.md"), new Date(), new Date());
  await source.write("a.md", "changed", { expected: version });
  expect(readFileSync(at(workspace, "a.md"), "utf8")).toBe("changed");
});

test("another text of the same length and with the old time is a conflict", async () => {
  const workspace = createWorkspace();
  const path = at(workspace, "a.md");
  writeFileSync(path, "text");
  const { atime, mtime } = statSync(path);
  const source = await workspace.open();
  const { version } = (await source.read("a.md")) ?? { version: "" };
  writeFileSync(path, "TEXT");
  utimesSync(path, atime, mtime);
  const saving = source.write("a.md", "changed", { expected: version });
  await expect(saving).rejects.toThrow("file modified externally, use `file load` to refresh");
  expect(readFileSync(path, "utf8")).toBe("TEXT");
});

test("a save keeps the mode, and a link stays a link", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "secret"), "old");
  // Not the mode that a new file of ours has, or keeping it would prove nothing.
  chmodSync(at(workspace, "secret"), 0o640);
  symlinkSync("secret", at(workspace, "link"));
  symlinkSync(at(workspace, "link"), at(workspace, "absolute"));
  const source = await workspace.open();
  await source.write("absolute", "new");
  expect(readFileSync(at(workspace, "secret"), "utf8")).toBe("new");
  expect(statSync(at(workspace, "secret")).mode & 0o7777).toBe(0o640);
  for (const link of ["link", "absolute"]) expect(lstatSync(at(workspace, link)).isSymbolicLink()).toBe(true);
});

test("removing a link removes the link and not the file", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "file"), "stays");
  symlinkSync("file", at(workspace, "link"));
  const source = await workspace.open();
  await source.remove("link");
  expect(readdirSync(workspace.root).toSorted()).toEqual(["file", "folder"]);
});

test("a link to nothing inside the root is absent, and writing creates what it leads to", async () => {
  const workspace = createWorkspace();
  symlinkSync("folder/new", at(workspace, "link"));
  const source = await workspace.open();
  expect(await source.read("link")).toBeUndefined();
  await source.write("link", "text", { expected: null });
  expect(readFileSync(at(workspace, "folder/new"), "utf8")).toBe("text");
});

test("a file with two names stays one file", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "a"), "old");
  linkSync(at(workspace, "a"), at(workspace, "b"));
  const source = await workspace.open();
  await source.write("a", "new");
  expect(readFileSync(at(workspace, "b"), "utf8")).toBe("new");
  expect(statSync(at(workspace, "a")).nlink).toBe(2);
});

test("an owner that cannot be kept is refused, and nothing changes", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "folder/a"), "the old text");
  const ops: FileOps = {
    ...fileOps,
    async stat(handle) {
      const stat = await fileOps.stat(handle);
      return Object.assign(stat, { uid: stat.size === "new".length ? stat.uid + 1 : stat.uid });
    },
    chown: () => Promise.reject(Object.assign(new Error("EPERM"), { code: "EPERM" })),
  };
  const source = await workspace.open({}, { ops });
  expect(await codeOf(source.write("folder/a", "new"))).toBe("permission_denied");
  expect(readFileSync(at(workspace, "folder/a"), "utf8")).toBe("the old text");
  expect(readdirSync(at(workspace, "folder"))).toEqual(["a"]);
});

test("a write-protected file is refused", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "a"), "old");
  const source = await workspace.open({}, { ops: { ...fileOps, writable: () => Promise.resolve(false) } });
  await expect(source.write("a", "new")).rejects.toThrow("write-protected");
});

test("a new file gets the usual mode, and missing folders are made", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "usual"), "");
  const source = await workspace.open();
  await source.write("new/er/a.md", "text");
  expect(statSync(at(workspace, "new/er/a.md")).mode).toBe(statSync(at(workspace, "usual")).mode);
});

test("below a file nothing can be read or written", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "a.md"), "text");
  const source = await workspace.open();
  expect(await source.read("a.md/b")).toBeUndefined();
  expect(await codeOf(source.write("a.md/b", "text"))).toBe("unsupported");
  expect(await codeOf(source.write("x".repeat(300), "text"))).toBe("invalid_input");
  expect(await source.read("x".repeat(300))).toBeUndefined();
});

test("a refused save makes no folders", async () => {
  const workspace = createWorkspace();
  const source = await workspace.open();
  expect(await codeOf(source.write("new/a.md", "text", { expected: "some version" }))).toBe("conflict");
  expect(readdirSync(workspace.root)).toEqual(["folder"]);
});

test("parallel edits of one file are all in it", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "a.md"), "");
  const sources = [await workspace.open(), await workspace.open()];
  const addLine = async (line: number): Promise<unknown> => {
    const source = sources[line % 2] ?? (await workspace.open());
    for (;;) {
      const { text, version } = (await source.read("a.md")) ?? { text: "", version: "" };
      const outcome = await codeOf(source.write("a.md", `${text}${line}\n`, { expected: version }));
      if (outcome !== "conflict") return outcome;
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, line) => addLine(line)));
  const lines = readFileSync(at(workspace, "a.md"), "utf8").trim().split("\n");
  expect(lines.toSorted()).toEqual(Array.from({ length: 50 }, (_, line) => String(line)).toSorted());
});

test("a source that can have no lock still reads, and changes nothing", async () => {
  const workspace = createWorkspace();
  writeFileSync(at(workspace, "a"), "old");
  const source = await workspace.open({}, { lockFolder: () => lockFolder({ shared: "/no/such/folder" }) });
  expect((await source.read("a"))?.text).toBe("old");
  expect(await source.read("b")).toBeUndefined();
  expect(await codeOf(source.write("a", "new"))).toBe("unavailable");
  expect(await codeOf(source.remove("a"))).toBe("unavailable");
  expect(readFileSync(at(workspace, "a"), "utf8")).toBe("old");
  expect(workspace.warnings.join()).toContain("nothing can be changed here");
});

test("a closed source answers unavailable", async () => {
  const source = await createWorkspace().open();
  await source.close?.();
  expect(await codeOf(source.read("a"))).toBe("unavailable");
  expect(await codeOf(source.write("a", "text"))).toBe("unavailable");
  expect(await codeOf(pathsOf(source))).toBe("unavailable");
});

test("labels name the path and tell folders apart", async () => {
  const [one, other] = [await createWorkspace().open(), await createWorkspace().open()];
  expect(one.label?.("src/a.ts")).toMatch(/^file:[0-9a-f]{8}:src\/a\.ts$/);
  expect(one.label?.("src/a.ts")).not.toBe(other.label?.("src/a.ts"));
});

describe("a disk without hard links", () => {
  const refuse = (): never => {
    throw Object.assign(new Error("EPERM"), { code: "EPERM" });
  };
  const ops: FileOps = { ...fileOps, link: () => Promise.reject(new Error("x")).catch(refuse), linkSync: refuse };

  test("still creates, saves and removes", async () => {
    const workspace = createWorkspace();
    const source = await workspace.open({}, { ops });
    await source.write("folder/a", "one", { expected: null });
    expect(await codeOf(source.write("folder/a", "two", { expected: null }))).toBe("conflict");
    await source.write("folder/a", "two");
    expect(readFileSync(at(workspace, "folder/a"), "utf8")).toBe("two");
    await source.remove("folder/a");
    expect(readdirSync(at(workspace, "folder"))).toEqual([]);
  });
});

describe("a created file that takes the attributes of another", () => {
  test("has its mode from the first moment", async () => {
    const workspace = createWorkspace();
    for (const mode of [0o600, 0o755]) {
      writeFileSync(at(workspace, "like.md"), "text");
      chmodSync(at(workspace, "like.md"), mode);
      const source = await workspace.open();
      await source.write(`new-${mode}.md`, "text", { expected: null, attributesOf: "like.md" });
      expect(statSync(at(workspace, `new-${mode}.md`)).mode & 0o7777).toBe(mode);
    }
  });

  test("is an ordinary file when there is no such other", async () => {
    const workspace = createWorkspace();
    const source = await workspace.open();
    await source.write("plain.md", "text");
    await source.write("new.md", "text", { attributesOf: "gone/like.md" });
    expect(statSync(at(workspace, "new.md")).mode).toBe(statSync(at(workspace, "plain.md")).mode);
  });

  test("is ours, and does not run as its former owner, where the owner cannot be kept", async () => {
    const workspace = createWorkspace();
    writeFileSync(at(workspace, "like.md"), "text");
    chmodSync(at(workspace, "like.md"), 0o4750);
    const ops: FileOps = {
      ...fileOps,
      stat: async (handle) => Object.assign(await fileOps.stat(handle), { uid: 54_321 }),
      chown: () => Promise.reject(Object.assign(new Error("EPERM"), { code: "EPERM" })),
    };
    const source = await workspace.open({}, { ops });
    await source.write("new.md", "text", { attributesOf: "like.md" });
    expect(statSync(at(workspace, "new.md")).mode & 0o7777).toBe(0o750);
  });
});
