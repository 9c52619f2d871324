import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finalPlace, type FollowOps, followOps } from "./final-place.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-final-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const finalOf = (path: string): string => finalPlace(`${root}/${path}`).path.slice(root.length + 1);

test.each([
  ["a plain file", "plain", "plain"],
  ["a file that is not there", "absent/deep", "absent/deep"],
  ["a link to a file", "link", "folder/file"],
  ["a link to nothing", "dangling", "folder/absent"],
  ["a link to a folder that is not there", "nowhere/x/y", "absent/x/y"],
  ["a chain whose end is absent", "chain", "folder/absent"],
  ["an absolute link", "absolute", "folder/absent"],
  ["dots behind a link", "way/../other", "a/other"],
  ["a link with dots behind another link", "dots", "a/absent"],
  ["a path below a file", "plain/x", "plain/x"],
])("%s is followed to its end", (_, path, expected) => {
  mkdirSync(`${root}/folder`);
  mkdirSync(`${root}/a/b`, { recursive: true });
  writeFileSync(`${root}/plain`, "");
  writeFileSync(`${root}/folder/file`, "");
  symlinkSync("folder/file", `${root}/link`);
  symlinkSync("folder/absent", `${root}/dangling`);
  symlinkSync("absent", `${root}/nowhere`);
  symlinkSync("dangling", `${root}/chain`);
  symlinkSync(`${root}/folder/absent`, `${root}/absolute`);
  symlinkSync("a/b", `${root}/way`);
  symlinkSync("way/../absent", `${root}/dots`);
  expect(finalOf(path)).toBe(expected);
});

test("a circle of links, a link of a process and a folder that may not be entered are no answer", () => {
  symlinkSync("b", `${root}/a`);
  symlinkSync("a", `${root}/b`);
  expect(() => finalOf("a")).toThrow("more than 40 links");
  symlinkSync(`/proc/${process.pid}/cwd/x`, `${root}/c`);
  expect(() => finalOf("c")).toThrow("link of a process");
  const refused: FollowOps = {
    ...followOps,
    lstat(path) {
      if (path.endsWith("/closed")) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
      return followOps.lstat(path);
    },
  };
  expect(() => finalPlace(`${root}/closed/x`, refused)).toThrow("EACCES");
});

/** The real file system, read as one that folds case and Unicode would: a name finds the entry that is its twin. */
function folding(): FollowOps {
  const fold = (name: string): string => name.normalize("NFC").toLowerCase();
  const stored = (path: string): string => {
    if (path === "/" || path === root) return path;
    const folder = stored(dirname(path));
    const name = path.slice(path.lastIndexOf("/") + 1);
    const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    const twin = isFolder ? readdirSync(folder).find((one) => fold(one) === fold(name)) : undefined;
    return join(folder, twin ?? name);
  };
  return {
    lstat: (path) => followOps.lstat(stored(path)),
    readlink: (path) => followOps.readlink(stored(path)),
    readdir: (path) => followOps.readdir(stored(path)),
  };
}

test.each([
  ["LOCKED/PLAN.md", "locked/Plan.md"],
  ["Locked/absent.md", "locked/absent.md"],
  ["cafe\u0301/a", "caf\u00e9/a"],
  ["WAY/plan.MD", "locked/Plan.md"],
  ["locked/Plan.md", "locked/Plan.md"],
])("where names are folded, %s is the stored %s", (path, expected) => {
  mkdirSync(`${root}/locked`);
  writeFileSync(`${root}/locked/Plan.md`, "");
  mkdirSync(`${root}/caf\u00e9`);
  symlinkSync("Locked", `${root}/way`);
  expect(finalPlace(`${root}/${path}`, folding()).path).toBe(`${root}/${expected}`);
});

test("two names that differ in case are two files where names are not folded", () => {
  writeFileSync(`${root}/a`, "");
  writeFileSync(`${root}/A`, "");
  expect([finalOf("a"), finalOf("A")]).toEqual(["a", "A"]);
});

test("whatever links there are, the answer is that of the system for what exists", () => {
  const names = ["a", "b", "c", "d"];
  const target = fc
    .array(fc.constantFrom(...names, "..", "."), { minLength: 1, maxLength: 4 })
    .map((all) => all.join("/"));
  const links = fc.uniqueArray(fc.tuple(fc.constantFrom("a/l", "b/m", "n", "a/b/o"), target), {
    selector: ([path]) => path,
    maxLength: 4,
  });
  fc.assert(
    fc.property(
      links,
      fc.array(fc.constantFrom(...names, "l", "m", "n", "o", ".."), { maxLength: 6 }),
      (made, path) => {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(`${root}/a/b/c`, { recursive: true });
        mkdirSync(`${root}/b/d`, { recursive: true });
        for (const [at, to] of made) symlinkSync(to, `${root}/${at}`);
        const asked = `${root}/${path.join("/")}`;
        let real: string;
        try {
          real = realpathSync.native(asked);
        } catch {
          return;
        }
        expect(finalPlace(asked).path).toBe(real);
      },
    ),
    { numRuns: 300 },
  );
});
