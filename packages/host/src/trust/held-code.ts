import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { toTrustedFile, type TrustedFile } from "@ikigai/permission";
import type { CodeReach } from "./code-reach.ts";
import { digestPackage } from "./installed-package.ts";

/** What the modules that a process loads are compared with, on the bytes that are compiled. */
export interface HeldCode {
  /** Digests of files, by their real path. */
  readonly digests: Readonly<Record<string, string>>;
  /** Folders of packages in which every file has a digest. */
  readonly folders: readonly string[];
  /** Files that name everything they load. */
  readonly known: readonly string[];
}

/** What a unit reaches as it was judged: its content as it is trusted, and what holds a process to it. */
export interface JudgedContent {
  readonly files: readonly TrustedFile[];
  /** Absent for what may run anything in its folder. */
  readonly held?: HeldCode;
}

/** Contract: both come of one look at each file. */
export async function contentOfReach({ files, packages, anything }: CodeReach): Promise<JudgedContent> {
  const own = [...files].map(([path, bytes]) => toTrustedFile(path, bytes));
  const digested = await Promise.all(packages.map(async (path) => ({ path, ...(await digestPackage(path)) })));
  const digests = Object.fromEntries([
    ...digested.flatMap((one) => [...one.files]),
    ...own.map(({ path, sha256 }) => [path, sha256] as const),
  ]);
  return {
    files: [...own, ...digested.map(({ path, sha256 }) => ({ path: `${path}/`, sha256 }))],
    ...(anything === undefined && { held: { digests, folders: packages, known: [...files.keys()] } }),
  };
}

/** The module that holds a process, which is loaded into others too and therefore is plain CommonJS. */
export const HOLDER: string = fileURLToPath(new URL("../../bin/hold-trusted.cjs", import.meta.url));

/** Holds what our own process imports and requires from now on. Contract: more can be added at any time. */
export async function holdInThisProcess(held: HeldCode): Promise<void> {
  const { hold } = createRequire(import.meta.url)(HOLDER) as { hold: (table: HeldCode) => Promise<void> | undefined };
  await hold(held);
}
