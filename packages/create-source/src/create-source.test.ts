import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "./main.ts";
import { namesFor } from "./names.ts";
import { countsOf, linkDependencies, linkedPlugin, makeItLie, runIn } from "./testing/linked-plugin.ts";
import { coreVersion, VERSIONS } from "./versions.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** A compiler and a test run of its own each. */
const SLOW = { timeout: 120_000 };
let base: string;
beforeAll(async () => void (base = await mkdtemp(join(tmpdir(), "ikigai-create-"))));
afterAll(() => rm(base, { recursive: true, force: true }));

async function run(args: readonly string[], answers?: readonly string[]): Promise<{ code: number; out: string }> {
  const output = new PassThrough();
  const input: PassThrough & { isTTY?: boolean } = new PassThrough();
  if (answers !== undefined) {
    input.isTTY = true;
    const waiting = [...answers];
    output.on("data", (chunk: Buffer) => {
      if (/[?\]] $/.test(chunk.toString())) input.write(`${waiting.shift()}\n`);
    });
  }
  let out = "";
  output.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const code = await main(args, { input, output });
  return { code, out };
}

test.each(["block", "stream", "part"] as const)(
  "a new %s builds and passes its conformance test",
  SLOW,
  async (kind) => {
    const directory = join(base, kind);
    const description = 'Says "hi" */ to `everyone`';
    const { code } = await run([
      "@me/my-plugin",
      "--kind",
      kind,
      "--description",
      description,
      "--directory",
      directory,
    ]);
    expect(code).toBe(0);
    await linkDependencies(directory);
    const tested = await runIn(directory, "npm", ["test"]);
    expect(tested, tested.output).toMatchObject({ code: 0 });
    expect(countsOf(tested.output).passed).toBeGreaterThan(kind === "part" ? 7 : 10);
    const manifest = JSON.parse(await readFile(join(directory, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest).toMatchObject({ name: "@me/my-plugin", description, license: "MIT" });
    for (const file of ["LICENSE", "README.md", ".gitignore", ".github/workflows/ci.yml", ".changeset/first.md"]) {
      const text = await readFile(join(directory, file), "utf8");
      expect(text, file).not.toMatch(/__\w+__/);
    }
  },
);

test.each(["block", "stream", "part"] as const)("a new %s that lies is red", SLOW, async (kind) => {
  const directory = join(base, `lying-${kind}`);
  await linkedPlugin(directory, kind);
  await makeItLie(directory, kind);
  const tested = await runIn(directory, "npm", ["test"]);
  expect(tested.code).not.toBe(0);
  expect(countsOf(tested.output).failed).toBeGreaterThan(0);
});

test("two questions are asked at a terminal", async () => {
  const directory = join(base, "asked");
  const { code, out } = await run(["asked", "--directory", directory], ["stream", "Counts sheep"]);
  expect(code).toBe(0);
  expect(out.match(/\? /g)).toHaveLength(2);
  expect(await readFile(join(directory, "README.md"), "utf8")).toContain("Counts sheep");
  expect(await readFile(join(directory, "src/source.ts"), "utf8")).toContain("export const askedStream");
});

test("a folder that holds something is left alone", async () => {
  const directory = join(base, "full");
  await mkdir(directory);
  await writeFile(join(directory, "mine.txt"), "mine");
  const { code, out } = await run(["full", "--kind", "block", "--description", "x", "--directory", directory]);
  expect([code, out]).toEqual([1, expect.stringContaining("is not empty: it holds mine.txt")]);
  expect(await readdir(directory)).toEqual(["mine.txt"]);
});

test.each([
  [[]],
  [["--nonsense"]],
  [["Bad Name", "--kind", "block", "--description", "x"]],
  [["../evil", "--kind", "block", "--description", "x"]],
  [["fs", "--kind", "block", "--description", "x"]],
  [["node_modules", "--kind", "block", "--description", "x"]],
  [["fine", "--description", "nobody can be asked for the kind"]],
  [["fine", "--kind", "neither", "--description", "x"]],
  [["fine", "--kind", "block", "--description", "two\nlines"]],
])("misuse shows how it is used and writes nothing: %j", async (args) => {
  const directory = join(base, "misuse");
  const { code, out } = await run([...args, "--directory", directory]);
  expect([code, out]).toEqual([2, expect.stringContaining("Usage: npm create ikigai-source")]);
  expect(existsSync(directory)).toBe(false);
});

test("help is no failure", async () => {
  expect(await run(["--help"])).toMatchObject({ code: 0 });
});

test.each([
  ["my-source", "block", "mySource"],
  ["@me/ikigai-source-foo", "block", "ikigaiSourceFooSource"],
  ["ticks", "stream", "ticksStream"],
  ["7up", "block", "_7upSource"],
  ["ikigai-part-words", "part", "ikigaiPartWordsPart"],
] as const)("%s exports %s", (name, kind, exported) => {
  expect(namesFor(name, kind)?.export).toBe(exported);
});

test.each([
  ["ikigai-part-words", "words"],
  ["@me/ikigai-part-words", "words"],
  ["ikigai-part-7up", "part-7up"],
  ["ikigai-part", "ikigai-part"],
  ["7up.part", "part-7up-part"],
])("the part of %s has a name that a host takes", (name, part) => {
  expect(namesFor(name, "part")?.part).toBe(part);
  expect(part).toMatch(/^[a-z][a-z0-9-]*$/);
});

test("a new plugin is built with what this repository is built with", async () => {
  const read = async (file: string) => JSON.parse(await readFile(join(root, file), "utf8")) as Record<string, never>;
  const workspace = (await read("package.json"))["devDependencies"] as unknown as Record<string, string>;
  const core = await read("packages/core/package.json");
  expect(coreVersion()).toBe(core["version"]);
  expect(VERSIONS).toEqual({
    zodVersion: (core["devDependencies"] as unknown as Record<string, string>)["zod"],
    typescriptVersion: workspace["typescript"],
    nodeTypesVersion: workspace["@types/node"],
    changesetsVersion: workspace["@changesets/cli"],
  });
});
