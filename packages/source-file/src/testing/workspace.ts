import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { IkigaiError, type SourceHost } from "@ikigai/core";
import { onTestFinished } from "vitest";
import { type FileBlock, type Internals, openFileSource } from "../open-file-source.ts";
import type { FileSourceOptions } from "../options.ts";

/** A folder of its own for one test: `root` to serve, `outside` beside it, `locks` for the locks. */
export interface Workspace {
  readonly base: string;
  readonly root: string;
  readonly locks: string;
  readonly warnings: string[];
  open(options?: Partial<FileSourceOptions>, internals?: Internals): Promise<FileBlock>;
}

/** Syncing to a disk that others use too would only make the tests slow. */
const fastest = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function createWorkspace(): Workspace {
  const base = mkdtempSync(`${fastest}/source-file-`);
  const [root, locks] = [`${base}/root`, `${base}/locks`];
  mkdirSync(`${root}/folder`, { recursive: true });
  mkdirSync(locks);
  const warnings: string[] = [];
  const opened: FileBlock[] = [];
  onTestFinished(async () => {
    for (const source of opened) await source.close?.();
    rmSync(base, { recursive: true, force: true });
  });
  return {
    base,
    root,
    locks,
    warnings,
    async open(options = {}, internals = {}) {
      const host = { warn: (message: string) => void warnings.push(message) };
      const source = await openFileSource({ root, ...options }, host, { lockFolder: () => locks, ...internals });
      opened.push(source);
      return source;
    },
  };
}

/** A host that offers nothing. */
export function plainHost(over: Partial<SourceHost> = {}): SourceHost {
  return { mount: "file", signal: new AbortController().signal, services: {}, warn: () => {}, ...over };
}

export async function pathsOf(source: FileBlock, prefix = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of source.list(prefix)) paths.push(path);
  return paths;
}

/** The code that `work` fails with, or what it answered. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ answered: value }),
    (error: unknown) => (IkigaiError.is(error) ? error.code : error),
  );
}

/** Every name below `folder` with its bytes, so that two moments can be compared. Reads no pipe and no huge file. */
export function pictureOf(folder: string): Record<string, string> {
  const picture: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = `${entry.parentPath}/${entry.name}`;
    if (entry.isSymbolicLink()) picture[path] = `-> ${readlinkSync(path)}`;
    else if (entry.isFile() && !entry.name.includes("sparse")) picture[path] = readFileSync(path, "hex");
    else picture[path] = "";
  }
  return picture;
}
