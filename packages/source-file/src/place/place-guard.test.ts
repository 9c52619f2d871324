import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Actor } from "@ikigai/core";
import { expect, test } from "vitest";
import { openFileSource } from "../open-file-source.ts";
import type { JudgedPlace } from "./place-guard.ts";
import { codeOf, createWorkspace, pathsOf } from "../testing/workspace.ts";

function judgedFor(path: string, place: JudgedPlace | undefined): Actor {
  const places = new Map(place === undefined ? [] : [[`file:///${path}`, place]]);
  return { agent: "a", conversation: "c", callId: "1", tool: "t", places };
}

test("a path that leads elsewhere than when it was judged is refused, and nothing changes", async () => {
  const { root, open } = createWorkspace();
  const source = await open();
  mkdirSync(`${root}/free`);
  mkdirSync(`${root}/locked`);
  writeFileSync(`${root}/free/a`, "free");
  writeFileSync(`${root}/locked/a`, "locked");
  symlinkSync("free", `${root}/way`);
  const actor = judgedFor("way/a", source.follow?.("way/a"));
  const created = judgedFor("way/new/x", source.follow?.("way/new/x"));
  expect((await source.read("way/a", { actor }))?.text).toBe("free");
  rmSync(`${root}/way`);
  symlinkSync("locked", `${root}/way`);
  expect(await codeOf(source.read("way/a", { actor }))).toBe("conflict");
  expect(await codeOf(source.write("way/a", "changed", { actor }))).toBe("conflict");
  expect(await codeOf(source.remove("way/a", { actor }))).toBe("conflict");
  expect(await codeOf(source.write("way/new/x", "new", { actor: created }))).toBe("conflict");
  expect(readFileSync(`${root}/locked/a`, "utf8")).toBe("locked");
  expect(existsSync(`${root}/locked/new`)).toBe(false);
});

test("a file that became another name of a shared one after it was judged is refused", async () => {
  const { root, open } = createWorkspace();
  const source = await open();
  writeFileSync(`${root}/a`, "plain");
  writeFileSync(`${root}/other`, "shared");
  const actor = judgedFor("a", source.follow?.("a"));
  rmSync(`${root}/a`);
  linkSync(`${root}/other`, `${root}/a`);
  expect(await codeOf(source.write("a", "changed", { actor }))).toBe("conflict");
  expect(readFileSync(`${root}/other`, "utf8")).toBe("shared");
  const again = judgedFor("a", source.follow?.("a"));
  await source.write("a", "changed", { actor: again });
  expect(readFileSync(`${root}/other`, "utf8")).toBe("changed");
});

test("a path out of the root is refused when it is followed", async () => {
  const { root, base, open } = createWorkspace();
  const source = await open();
  symlinkSync(`${base}/outside`, `${root}/out`);
  expect(() => source.follow?.("out/x")).toThrow("leads out of the root");
});

test("a file of the host's own is served only to a call that was judged for exactly that place", async () => {
  const { root, locks } = createWorkspace();
  mkdirSync(`${root}/own/deep`, { recursive: true });
  writeFileSync(`${root}/own/deep/key`, "secret");
  writeFileSync(`${root}/plain`, "plain");
  symlinkSync("own/deep/key", `${root}/link`);
  const isOwn = (path: string): boolean => path === `${root}/own` || path.startsWith(`${root}/own/`);
  const source = await openFileSource({ root }, { mount: "file", warn: () => {}, isOwn }, { lockFolder: () => locks });
  try {
    for (const path of ["own/deep/key", "link"]) {
      expect(await codeOf(source.read(path))).toBe("permission_denied");
      expect(await codeOf(source.write(path, "x"))).toBe("permission_denied");
      expect(await codeOf(source.remove(path))).toBe("permission_denied");
      const actor = judgedFor(path, source.follow?.(path));
      expect((await source.read(path, { actor }))?.text).toBe("secret");
    }
    expect(await codeOf(source.write("own/new/file", "x"))).toBe("permission_denied");
    expect(existsSync(`${root}/own/new`)).toBe(false);
    expect(await pathsOf(source)).toEqual(["plain"]);
    expect(await pathsOf(source, "own/deep/")).toEqual([]);
  } finally {
    await source.close?.();
  }
});
