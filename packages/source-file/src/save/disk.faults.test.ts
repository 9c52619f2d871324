import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { openFileSource } from "../open-file-source.ts";
import { isTempFile } from "./temp-file.ts";
import { codeOf } from "../testing/workspace.ts";

const OLD = "the old text\n".repeat(2_000);
const NEW = "a new text, rather longer\n".repeat(3_000);
const mounted: string[] = [];
const made: string[] = [];

afterEach(() => {
  for (const folder of mounted.splice(0)) execFileSync("umount", [folder]);
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("on a full disk a save is unavailable and the old bytes stay", async () => {
  const root = tinyDisk("size=128k");
  writeFileSync(`${root}/a.md`, OLD);
  const source = await openFileSource({ root }, { warn: () => {} });
  writeFileSync(`${root}/filler`, Buffer.alloc(60 * 1024));
  expect(await codeOf(source.write("a.md", NEW))).toBe("unavailable");
  expect(await codeOf(source.write("new.md", NEW))).toBe("unavailable");
  expect(readFileSync(`${root}/a.md`, "utf8")).toBe(OLD);
  expect(readdirSync(root).toSorted()).toEqual(["a.md", "filler"]);
  await source.close?.();
});

test("on a full disk a file with two names keeps its old bytes", async () => {
  const root = tinyDisk("size=128k");
  writeFileSync(`${root}/a.md`, OLD);
  linkSync(`${root}/a.md`, `${root}/twin`);
  const source = await openFileSource({ root }, { warn: () => {} });
  writeFileSync(`${root}/filler`, Buffer.alloc(60 * 1024));
  expect(await codeOf(source.write("a.md", NEW))).toBe("unavailable");
  expect(readFileSync(`${root}/twin`, "utf8")).toBe(OLD);
  expect(readdirSync(root).toSorted()).toEqual(["a.md", "filler", "twin"]);
  await source.close?.();
});

test("on a read-only disk every change is unavailable and reading works", async () => {
  const root = tinyDisk("size=1m");
  writeFileSync(`${root}/a.md`, OLD);
  execFileSync("mount", ["-o", "remount,ro", root]);
  const source = await openFileSource({ root }, { warn: () => {} });
  expect((await source.read("a.md"))?.text).toBe(OLD);
  expect(await codeOf(source.write("a.md", NEW))).toBe("unavailable");
  expect(await codeOf(source.write("new/b.md", NEW))).toBe("unavailable");
  expect(await codeOf(source.remove("a.md"))).toBe("unavailable");
  await source.close?.();
});

test("an error of the disk at fsync is unavailable and the old bytes stay", async () => {
  let when = 1;
  for (; ; when++) {
    const root = folder();
    writeFileSync(`${root}/a.md`, OLD);
    const { outcome, injected } = await traced(root, ["write", "a.md", NEW], `fsync:error=EIO:when=${when}`);
    if (!injected) break;
    expect(outcome).toContain("unavailable");
    expect(readFileSync(`${root}/a.md`, "utf8")).toBe(OLD);
    expect(readdirSync(root)).toEqual(["a.md"]);
  }
  expect(when).toBeGreaterThan(2);
});

const CHANGING = ["openat", "write", "pwrite64", "fsync", "fchmod", "fchown", "ftruncate", "link", "rename", "unlink"];

describe.each([
  { what: "a save", names: ["a.md"], args: ["write", "a.md", NEW], allowed: [OLD, NEW] },
  {
    what: "a save of a file with two names",
    names: ["a.md", "twin"],
    args: ["write", "a.md", NEW],
    allowed: [OLD, NEW],
  },
  { what: "a create", names: [], args: ["write", "a.md", NEW], allowed: [undefined, NEW] },
  { what: "a removal", names: ["a.md"], args: ["remove", "a.md"], allowed: [OLD, undefined] },
])("$what killed by the system", ({ names, args, allowed }) => {
  test.each(CHANGING)("at each %s leaves the old or the new file and nothing else after a restart", async (call) => {
    for (let when = 1; ; when++) {
      const root = folder();
      const [first, twin] = names;
      if (first !== undefined) {
        writeFileSync(`${root}/${first}`, OLD);
        chmodSync(`${root}/${first}`, 0o640);
        chownSync(`${root}/${first}`, 1234, 4321);
      }
      if (twin !== undefined) linkSync(`${root}/a.md`, `${root}/${twin}`);
      const { injected } = await traced(root, args, `${call}:signal=KILL:when=${when}`);
      if (!injected) return;
      const killed = textOf(root);
      // In a file with two names the bytes are put right at the next start.
      const whole = twin !== undefined || allowed.includes(killed);
      await (await openFileSource({ root }, { warn: () => {} })).close?.();
      const attributes = attributesOf(root);
      const kept = first === undefined || attributes === undefined ? attributes : keptAttributes(names.length);
      expect({ when, whole, allowed: allowed.includes(textOf(root)), attributes }).toEqual({
        when,
        whole: true,
        allowed: true,
        attributes: kept,
      });
      expect(readdirSync(root).filter(isTempFile)).toEqual([]);
      rmSync(root, { recursive: true });
    }
  });
});

function keptAttributes(nlink: number): object {
  return { mode: 0o640, uid: 1234, gid: 4321, nlink };
}

function attributesOf(root: string): object | undefined {
  if (textOf(root) === undefined) return undefined;
  const { mode, uid, gid, nlink } = statSync(`${root}/a.md`);
  return { mode: mode & 0o7777, uid, gid, nlink };
}

/** Runs one operation in a process of its own with a fault injected into its system calls once it is ready. */
async function traced(root: string, args: string[], inject: string): Promise<{ outcome: string; injected: boolean }> {
  const fixture = fileURLToPath(new URL("../../fixtures/save-once.mjs", import.meta.url));
  // The tracer counts by thread; with one of them for all files the count is that of the save.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
  const child = spawn(process.execPath, [fixture, root, ...args], { stdio: ["pipe", "pipe", "inherit"], env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const call = inject.slice(0, inject.indexOf(":"));
  const tracer = spawn("strace", ["-f", "-p", String(child.pid), "-e", `trace=${call}`, "-e", `inject=${inject}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let trace = "";
  await new Promise<void>((resolve) => {
    tracer.stderr.on("data", (chunk: Buffer) => {
      trace += chunk.toString();
      if (trace.includes("attached")) resolve();
    });
  });
  const ended = once(tracer, "exit");
  child.stdin.write("go\n");
  const outcome = String((await lines.next()).value ?? "killed");
  await ended;
  return { outcome, injected: trace.includes("(INJECTED)") || trace.includes("killed by SIGKILL") };
}

function textOf(root: string): string | undefined {
  try {
    return readFileSync(`${root}/a.md`, "utf8");
  } catch {
    return undefined;
  }
}

function folder(): string {
  const path = mkdtempSync(`${tmpdir()}/source-file-disk-`);
  made.push(path);
  return path;
}

function tinyDisk(options: string): string {
  const path = `${folder()}/disk`;
  mkdirSync(path);
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]);
  mounted.push(path);
  return path;
}
