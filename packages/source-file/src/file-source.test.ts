import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { IkigaiError } from "@ikigai/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { fileSource } from "./file-source.ts";
import { codeOf, createWorkspace, pathsOf, pictureOf, plainHost, type Workspace } from "./testing/workspace.ts";

/** What must never be followed, opened or changed: how to make it, which path names it, and the answer. */
const HOSTILE: readonly {
  readonly what: string;
  readonly path: string;
  readonly code: string;
  readonly make: (at: Workspace) => void | Promise<void>;
}[] = [
  {
    what: "a link to a file outside",
    path: "link",
    code: "permission_denied",
    make: ({ root }) => symlinkSync("../outside/secret", `${root}/link`),
  },
  {
    what: "a link to an absolute path outside",
    path: "link",
    code: "permission_denied",
    make: ({ root }) => symlinkSync("/etc/passwd", `${root}/link`),
  },
  {
    what: "a link to a folder outside",
    path: "link/secret",
    code: "permission_denied",
    make: ({ root }) => symlinkSync("../outside", `${root}/link`),
  },
  {
    what: "a chain of links that ends outside",
    path: "one",
    code: "permission_denied",
    make: ({ root }) => {
      symlinkSync("two", `${root}/one`);
      symlinkSync("folder/three", `${root}/two`);

      symlinkSync("../../outside/secret", `${root}/folder/three`);
    },
  },
  {
    what: "a link to nothing outside",
    path: "link",
    code: "permission_denied",
    make: ({ root }) => symlinkSync("../outside/absent", `${root}/link`),
  },
  {
    what: "a link to a sibling whose name begins with the root's",
    path: "link",
    code: "permission_denied",
    make: ({ base, root }) => {
      mkdirSync(`${base}/root-secrets`);
      writeFileSync(`${base}/root-secrets/key`, "key");
      symlinkSync(`${base}/root-secrets/key`, `${root}/link`);
    },
  },
  {
    what: "a link out of an absolute path inside",
    path: "link",
    code: "permission_denied",
    make: ({ root }) => symlinkSync(`${root}/../outside/secret`, `${root}/link`),
  },
  {
    what: "a circle of links",
    path: "a",
    code: "unsupported",
    make: ({ root }) => {
      symlinkSync("b", `${root}/a`);
      symlinkSync("a", `${root}/b`);
    },
  },
  {
    what: "a pipe",
    path: "pipe",
    code: "unsupported",
    make: ({ root }) => void execFileSync("mkfifo", [`${root}/pipe`]),
  },
  { what: "a socket", path: "socket", code: "unsupported", make: listenAt },
  {
    what: "a link to a device inside the root",
    path: "device",
    code: "permission_denied",
    make: ({ root }) => symlinkSync("/dev/zero", `${root}/device`),
  },
  { what: "a folder", path: "folder", code: "unsupported", make: () => {} },
  {
    what: "a link to the root",
    path: "link",
    code: "unsupported",
    make: ({ root }) => symlinkSync(".", `${root}/link`),
  },
  {
    what: "a sparse file of 3 GiB",
    path: "sparse",
    code: "unsupported",
    make: ({ root }) => {
      writeFileSync(`${root}/sparse`, "");
      truncateSync(`${root}/sparse`, 3 * 1024 ** 3);
    },
  },
  {
    what: "a latin-1 file",
    path: "latin",
    code: "unsupported",
    make: ({ root }) => writeFileSync(`${root}/latin`, "déjà vu", "latin1"),
  },
  {
    what: "a UTF-16 file",
    path: "utf16",
    code: "unsupported",
    make: ({ root }) => writeFileSync(`${root}/utf16`, "\uFEFFdéjà vu", "utf16le"),
  },
  {
    what: "a file with a NUL byte",
    path: "nul",
    code: "unsupported",
    make: ({ root }) => writeFileSync(`${root}/nul`, "a\0b"),
  },
];

describe.each([true, false])("hostile paths, through /proc/self/fd: %s", (procfs) => {
  test.each(HOSTILE)(
    "$what is refused as $code by every operation and nothing changes",
    async ({ path, code, make }) => {
      const workspace = createWorkspace();
      mkdirSync(`${workspace.base}/outside`);
      writeFileSync(`${workspace.base}/outside/secret`, "secret");
      await make(workspace);
      const source = await workspace.open({}, { procfs });
      const before = pictureOf(workspace.base);

      expect(await codeOf(source.read(path))).toBe(code);
      expect(await codeOf(source.write(path, "new"))).toBe(code);
      expect(await codeOf(source.write(path, "new", { expected: null }))).toBe(code);
      expect(await codeOf(source.remove(path))).toBe(code);
      expect(await pathsOf(source, `${path}/`).catch((error: unknown) => error)).toSatisfy(
        (listed) =>
          IkigaiError.is(listed, "permission_denied") ||
          IkigaiError.is(listed, "unsupported") ||
          (Array.isArray(listed) && !listed.includes(`${path}/secret`)),
      );
      expect(pictureOf(workspace.base)).toEqual(before);
    },
  );
});

test("a file too large is refused with both numbers", async () => {
  const workspace = createWorkspace();
  writeFileSync(`${workspace.root}/big`, "x".repeat(101));
  const source = await workspace.open({ maxBytes: 100 });
  await expect(source.read("big")).rejects.toThrow("101 bytes, more than the 100 bytes");
  await expect(source.write("new", "x".repeat(101))).rejects.toThrow("101 bytes, more than the 100 bytes");
});

test("the options name the folder and nothing unknown", async () => {
  const check = async (options: unknown): Promise<boolean> =>
    (await fileSource.options["~standard"].validate(options)).issues === undefined;
  expect(await check({ root: "." })).toBe(true);
  expect(await check({})).toBe(false);
  expect(await check({ root: ".", extra: 1 })).toBe(false);
  expect(await check({ root: ".", rules: [{ glob: "a", permission: "owner" }] })).toBe(false);
  expect(await codeOf(fileSource.open({ root: "/no/such/folder" }, plainHost()))).toBe("not_found");
});

test("text survives with its byte order mark, line endings and missing final newline", async () => {
  const workspace = createWorkspace();
  const source = await workspace.open();
  for (const text of ["\uFEFFwith a mark\r\n", "mixed\r\nendings\nand\rmore", "no newline", "", "🧠 é"]) {
    writeFileSync(`${workspace.root}/a.md`, text);
    const read = await source.read("a.md");
    expect(read?.text).toBe(text);
    await source.write("a.md", `${text}!`, { expected: read?.version ?? "" });
    expect(pictureOf(workspace.root)[`${workspace.root}/a.md`]).toBe(Buffer.from(`${text}!`).toString("hex"));
  }
});

function listenAt({ root }: Workspace): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(`${root}/socket`, resolve));
}
