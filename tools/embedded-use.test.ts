import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { install, packAll, PACKAGES } from "./pack.mjs";

const run = promisify(execFile);
const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const SLOW = 300_000;
/** What somebody puts into a program of their own. */
const EMBEDDED = ["core", "memory", "recall", "notes", "source-file"].map((name) => `@ikigai/${name}`);
/** Started and not imported. */
const PROGRAMS = ["ikigai", "create-ikigai-source"];

let base: string;
let folder: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-embedded-"));
  const tarballs = await packAll(base);
  folder = join(base, "user");
  await mkdir(folder);
  const libraries = [...PACKAGES.keys()].filter((name) => !PROGRAMS.includes(name));
  await install(
    folder,
    libraries.map((name) => tarballs.get(name) as string),
    { optional: false },
  );
}, SLOW);
afterAll(() => rm(base, { recursive: true, force: true }));

const PROGRAM = `
  import assert from "node:assert";
  import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
  import { createPolicy, createSourceManager, createToolRegistry } from "@ikigai/core/host";
  import { createBlocks, createBlockTools, createMemoryBlockStore } from "@ikigai/memory";
  import { createKnowledgeRepository, createNoteIndex, createNoteTools } from "@ikigai/notes";
  import { createMemoryRecall, createRecallTool } from "@ikigai/recall";
  import { fileSource } from "@ikigai/source-file";
  const root = mkdtempSync("./root-");
  writeFileSync(root + "/Idea.md", "---\\ntags: {a: [b]}\\n---\\nA boat\\n");
  const sources = createSourceManager();
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  await sources.mount({ mount: "file", source: fileSource, options: { root } });
  const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
  registry.register(createBlockTools({ blocks, sources }));
  registry.register(createNoteTools({ repository: createKnowledgeRepository({ sources, index: createNoteIndex({ sources }) }) }));
  const store = createMemoryRecall();
  await store.insert([{ content: "the puppies are called Rufus and Rex" }], { owner: "default" });
  registry.register([createRecallTool(store)]);
  const call = async (name, input) => {
    const answer = await registry.call({ name, arguments: input });
    assert.equal(answer.success, true, JSON.stringify(answer));
    return JSON.stringify(answer.data);
  };
  await call("block", { op: "load", label: "Idea.md" });
  await call("block_edit", { op: "replace", label: "Idea.md", mode: "regex", old: "b(oat)", new: "c$1" });
  await call("block", { op: "save", label: "Idea.md" });
  assert.match(readFileSync(root + "/Idea.md", "utf8"), /A coat/);
  assert.match(await call("read_note", { name: "Idea" }), /A coat/);
  assert.match(await call("recall", { op: "search", query: "puppy" }), /Rufus/);
  await sources.close();
  console.log("ok");`;

test(
  "a program that embeds blocks, notes, recall and files is one bundle that runs alone",
  { timeout: SLOW },
  async () => {
    await writeFile(join(folder, "program.mjs"), PROGRAM);
    const bundle = await rolldown({
      input: join(folder, "program.mjs"),
      cwd: folder,
      platform: "node",
      logLevel: "silent",
    });
    const alone = join(base, "alone");
    await bundle.write({ dir: alone, format: "esm", entryFileNames: "program.mjs" });
    await bundle.close();
    expect((await readdir(alone)).includes("node_modules")).toBe(false);
    expect((await run(process.execPath, ["program.mjs"], { cwd: alone })).stdout).toBe("ok\n");
  },
);

test.each(EMBEDDED)("%s loads nothing by a name that a bundler cannot see", async (name) => {
  const dist = join(folder, "node_modules", name, "dist");
  const late: string[] = [];
  for (const file of await readdir(dist, { recursive: true })) {
    // What is chosen by configuration cannot be bundled, and is loaded from where it is installed.
    if (!file.endsWith(".js") || file.endsWith("load-package.js")) continue;
    if ((await readFile(join(dist, file), "utf8")).includes("createRequire")) late.push(file);
  }
  expect(late).toEqual([]);
});

test("core runs where there is no Buffer and no process", { timeout: SLOW }, async () => {
  const program = `
    const { log } = console;
    delete globalThis.Buffer;
    delete globalThis.process;
    const { compareCodePoints } = await import("@ikigai/core");
const { createPolicy, createSourceManager, createToolRegistry } = await import("@ikigai/core/host");
    const { createMemoryStore, memorySource } = await import("@ikigai/core/testing");
    const sources = createSourceManager({ registry: createToolRegistry({ policy: createPolicy({ mode: () => "all" }) }) });
    await sources.mount({ mount: "m", source: memorySource, options: { store: createMemoryStore() } });
    const { source, address } = sources.route("m:///a/é.md");
    await source.write(address.path, "text", { expected: null });
    const paths = ["b", "\\u{1f600}", "\\uffee", "a"].sort(compareCodePoints);
    log((await source.read(address.path)).text, JSON.stringify(paths));
    await sources.close();`;
  await writeFile(join(folder, "core.mjs"), program);
  const { stdout } = await run(process.execPath, ["core.mjs"], { cwd: folder });
  expect(stdout).toBe('text ["a","b","\uffee","\u{1f600}"]\n');
});

test("the types of every package need nothing that its dependencies do not bring", { timeout: SLOW }, async () => {
  const libraries = [...PACKAGES.keys()].filter((name) => !PROGRAMS.includes(name));
  const imports = libraries.map((name, index) => `import * as one${index} from "${name}";\nvoid one${index};`);
  await writeFile(join(folder, "types.ts"), [...imports, 'import "@ikigai/core/testing";'].join("\n"));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext", "--target", "es2023"];
  const lib = ["--lib", "es2024,esnext.disposable,dom", "--types", ""];
  const failed = await run(join(modules, ".bin/tsc"), [...options, ...lib, "types.ts"], { cwd: folder }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
  // Others' declarations are theirs to mend: MCP's need a global Buffer, which this program leaves out.
  const ours = failed
    .split("\n")
    .filter((line) => line.startsWith("node_modules/@ikigai/") || line.startsWith("types.ts"));
  expect(ours).toEqual([]);
});

test(
  "a strict program that opens a host compiles, with the declarations of all its dependencies",
  { timeout: SLOW },
  async () => {
    const program = `
    import { openHost } from "@ikigai/host";
    const host = await openHost({ root: ".", store: "./state", approve: async () => ({ approved: true, by: "me" }) });
    const answer = await host.call({ name: "file_edit", arguments: { path: "ikigai:///blocks/a.md", old: "x", new: "y" } });
    await host.command("/undo blocks/a");
    console.log(answer.success);
    await host.close();`;
    await writeFile(join(folder, "host.ts"), program);
    const options = ["--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext", "--target", "es2023"];
    const lib = ["--lib", "es2024,esnext.disposable", "--types", "node"];
    const said = await run(join(modules, ".bin/tsc"), [...options, ...lib, "host.ts"], { cwd: folder }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(said).toBe("");
  },
);
