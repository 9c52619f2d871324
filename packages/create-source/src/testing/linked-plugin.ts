import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { main } from "../main.ts";
import type { PluginKind } from "../names.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

/** What `npm install` would bring to a new plugin, from this repository. */
const PLACES: Readonly<Record<string, string>> = {
  "@ikigai/core": "packages/core",
  "@ikigai/host": "packages/host",
  zod: "packages/core/node_modules/zod",
  typescript: "node_modules/typescript",
  "@types/node": "node_modules/@types/node",
  "@changesets/cli": "node_modules/@changesets/cli",
};
const COMMANDS: Readonly<Record<string, string>> = {
  tsc: "../typescript/bin/tsc",
  changeset: "../@changesets/cli/bin.js",
};

/** How a command ended. */
export interface Finished {
  readonly code: number;
  readonly output: string;
}

/** A generated plugin whose dependencies are there, as after `npm install`. */
export async function linkedPlugin(directory: string, kind: PluginKind): Promise<void> {
  const output = new PassThrough().resume();
  const args = ["my-plugin", "--kind", kind, "--description", "x", "--directory", directory];
  const code = await main(args, { input: new PassThrough(), output });
  if (code !== 0) throw new Error(`the generator ended with ${code}`);
  await linkDependencies(directory);
}

export async function linkDependencies(directory: string): Promise<void> {
  const links = [
    ...Object.entries(PLACES).map(([name, place]) => [name, join(ROOT, place)] as const),
    ...Object.entries(COMMANDS).map(([name, place]) => [`.bin/${name}`, place] as const),
  ];
  for (const [name, place] of links) {
    const target = join(directory, "node_modules", name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(place, target);
  }
}

/** A mistake in each generated plugin: every text is "LIES", every event has the same cursor, a tool hides what it reads. */
const LIES: Readonly<Record<PluginKind, readonly [file: string, honest: string, lying: string]>> = {
  block: ["src/source.ts", "{ text, version:", '{ text: "LIES", version:'],
  stream: ["src/source.ts", "cursor: String(tick)", 'cursor: "1"'],
  part: [
    "src/part.ts",
    'effects: ({ path }) => [{ action: "read", target: sources.route(path).uri }]',
    "effects: () => []",
  ],
};

export async function makeItLie(directory: string, kind: PluginKind): Promise<void> {
  const [name, before, after] = LIES[kind];
  const file = join(directory, name);
  const honest = await readFile(file, "utf8");
  const lying = honest.replace(before, after);
  if (lying === honest) throw new Error(`${file} has no place for the mistake`);
  await writeFile(file, lying);
}

/** Runs a command in a plugin's folder. Contract: resolves however it ends. */
export function runIn(
  directory: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...own } = process.env;
  return new Promise((resolve) => {
    execFile(command, args, { cwd: directory, env: { ...own, ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}

/** How many tests a run of node:test says that passed and failed, whichever reporter it used. */
export function countsOf(output: string): { readonly passed: number; readonly failed: number } {
  const count = (word: string): number => Number(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, "m").exec(output)?.[1]);
  return { passed: count("pass"), failed: count("fail") };
}
