import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closureOf, install, packAll } from "./pack.mjs";
import { PROGRAMS } from "./pack-programs.mjs";

const run = promisify(execFile);
const RUNTIMES = { bun: [], deno: ["run", "--allow-all"] } as const;
const TRIED = ["@ikigai/core", "@ikigai/source-file", "@ikigai/memory", "@ikigai/notes"];
const SLOW = 300_000;
const had = new Set<string>();
let base: string;
let folder: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-runtimes-"));
  const tarballs = await packAll(base);
  folder = join(base, "user");
  await mkdir(folder);
  const names = new Set(TRIED.flatMap((name) => closureOf(name)));
  await install(
    folder,
    [...names].map((name) => tarballs.get(name) as string),
  );
  for (const runtime of Object.keys(RUNTIMES)) {
    const isHad = await run("npm", [
      "install",
      "--no-audit",
      "--no-fund",
      "--prefix",
      join(base, runtime),
      runtime,
    ]).then(
      () => run(join(base, runtime, "node_modules/.bin", runtime), ["--version"]).then(() => true),
      () => false,
    );
    if (isHad) had.add(runtime);
    else process.stderr.write(`${runtime} cannot be had here, so nothing was tried on it\n`);
  }
}, SLOW);
afterAll(() => rm(base, { recursive: true, force: true }));

const CASES = Object.keys(RUNTIMES).flatMap((runtime) => TRIED.map((name) => [runtime, name] as const));

test.each(CASES)("on %s, %s does its work", { timeout: SLOW }, async (runtime, name) => {
  if (!had.has(runtime)) return;
  const file = `${runtime}-${name.replace("@ikigai/", "")}.mjs`;
  await writeFile(join(folder, file), PROGRAMS[name] ?? "");
  const program = join(base, runtime, "node_modules/.bin", runtime);
  const { stdout } = await run(program, [...RUNTIMES[runtime as keyof typeof RUNTIMES], file], { cwd: folder });
  expect(stdout).toBe("ok\n");
  await rm(join(folder, "a.md"), { force: true });
});
