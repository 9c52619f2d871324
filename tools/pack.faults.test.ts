import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closureOf, install, installed, pack, PACKAGES } from "./pack.mjs";
import { PROGRAMS } from "./pack-programs.mjs";

const run = promisify(execFile);
const create = fileURLToPath(new URL("../packages/create-source/bin/create-ikigai-source.js", import.meta.url));
const tarballs = new Map<string, Promise<string>>();
let base: string;
beforeAll(async () => void (base = await mkdtemp(join(tmpdir(), "ikigai-pack-all-"))));
afterAll(() => rm(base, { recursive: true, force: true }));

function tarball(name: string): Promise<string> {
  const packed = tarballs.get(name) ?? pack(name, base);
  tarballs.set(name, packed);
  return packed;
}

async function alone(name: string): Promise<string> {
  const folder = await mkdtemp(join(base, "alone-"));
  await install(folder, await Promise.all(closureOf(name).map(tarball)));
  return folder;
}

test.each(Object.entries(PROGRAMS))(
  "%s works with core alone, and no other backend is there",
  async (name, program) => {
    const folder = await alone(name);
    await writeFile(join(folder, "run.mjs"), program);
    expect((await run(process.execPath, ["run.mjs"], { cwd: folder })).stdout).toBe("ok\n");
    const ours = installed(folder).filter((one) => PACKAGES.has(one));
    expect(ours.toSorted()).toEqual(closureOf(name).toSorted());
  },
);

test.each(["block", "stream"])("a new %s is installed, built and tested with the packed core", async (kind) => {
  const folder = join(base, kind);
  await run(process.execPath, [create, "my-plugin", "--kind", kind, "--description", "x", "--directory", folder]);
  const core = await tarball("@ikigai/core");
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--save-dev", core], { cwd: folder });
  expect((await run("npm", ["test"], { cwd: folder })).stdout).toMatch(/# fail 0$|fail 0$/m);
  expect(installed(folder).filter((one) => PACKAGES.has(one))).toEqual(["@ikigai/core"]);
});

test("the command works from its tarball", async () => {
  const folder = await alone("ikigai");
  const bin = join(folder, "node_modules/.bin/ikigai");
  const { stdout } = await run(bin, ["--root", folder, "--store", join(folder, "store"), "sources"], { cwd: folder });
  expect(stdout).toContain("file:///");
});
