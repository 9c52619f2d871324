import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";

afterAll(closeSharedStore);
const example = fileURLToPath(new URL("../../../../examples/01-json-source/dist/json-source.js", import.meta.url));
const ticker = fileURLToPath(new URL("../../../../examples/02-ticker-stream/dist/ticker-stream.js", import.meta.url));

test(
  "a plugin is added, listed, checked and removed, and the rest of the file stays",
  { timeout: 120_000 },
  async () => {
    const { root, run, close } = await openWorkspace();
    const file = join(root, "ikigai.config.json");
    await writeFile(file, '{\n    "budget": 5000,\n    "rules": [{ "glob": "a/**", "permission": "read_only" }]\n}\n');
    const json = join(root, "notes.json");
    const added = await run([
      "plugin",
      "add",
      example,
      "--mount",
      "notes",
      "--options",
      JSON.stringify({ file: json }),
    ]);
    expect(added).toMatchObject({ code: 0, out: `Added ${example} as notes:///` });
    const text = await readFile(file, "utf8");
    expect(JSON.parse(text)).toEqual({
      budget: 5000,
      rules: [{ glob: "a/**", permission: "read_only" }],
      sources: [{ use: example, mount: "notes", options: { file: json } }],
    });
    expect(text).toContain('\n    "budget"');
    expect((await run(["plugin", "list"])).out).toContain("not trusted");
    expect(await run(["plugin", "check", "notes"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("ikigai trust"),
    });
    await run(["trust", "--yes"]);
    expect(JSON.parse((await run(["plugin", "list", "--json"])).out)).toEqual([
      { mount: "notes", use: example, state: "ok" },
    ]);

    expect(await run(["plugin", "check", "notes"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no document"),
    });
    expect(
      (await run(["tool", "file_write", '{"path":"notes:///a.md","content":"mine"}', "--approve", "all"])).code,
    ).toBe(0);
    const before = await readFile(json, "utf8");
    const read = await run(["plugin", "check", "notes"]);
    expect(read.out).toMatch(/^ok block\/seed\/is-read$/m);
    expect(read).toMatchObject({ code: 0, err: expect.stringContaining("Only reading was checked") });
    expect(read.out).not.toContain("block/write/");
    const scratch = join(root, "scratch.json");
    await writeFile(scratch, '{ "file": "{folder}/x.json" }');
    const all = await run(["plugin", "check", "notes", "--scratch", scratch]);
    expect(all).toMatchObject({ code: 0, out: expect.stringMatching(/^ok block\/race\/one-winner$/m) });
    expect(all.out).toMatch(/^ok block\/process\/no-update-is-lost$/m);
    expect(await readFile(json, "utf8")).toBe(before);
    await writeFile(scratch, JSON.stringify({ file: json }));
    expect((await run(["plugin", "check", "notes", "--scratch", scratch])).err).toContain(
      "the same place for every case",
    );

    expect((await run(["plugin", "add", example, "--mount", "notes", "--options", '{"file":"x"}'])).err).toContain(
      "configured already",
    );
    expect((await run(["plugin", "remove", "notes"])).code).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ budget: 5000, sources: [] });
    expect((await run(["plugin", "remove", "notes"])).err).toContain('No plugin is configured as "notes"');
    await close();
  },
);

test("a stream is checked with the user's options", async () => {
  const { run, close } = await openWorkspace();
  await run(["plugin", "add", ticker, "--options", '{"everyMs":2}']);
  await run(["trust", "--yes"]);
  expect(await run(["plugin", "check", "ticker-stream"])).toMatchObject({
    code: 0,
    out: expect.stringContaining(" hold, 0 do not"),
  });
  await close();
});

test.each([
  [["ikigai-source-absent"], "failed at resolve: it is not installed"],
  [[example], "failed at options: "],
  [[example, "--options", "{"], "not valid JSON"],
  [[example, "--options", "[]"], "must be a JSON object"],
  [[example, "--permission", "everything"], "is not a permission"],
  [["./7.js", "--options", '{"everyMs":2}'], "gives no name for a mount"],
  [[ticker, "--options", '{"everyMs":2}', "--mount", "Bad Mount"], '"Bad Mount" is not the name of a mount'],
  [[ticker, "--options", '{"everyMs":2}', "--mount", "file"], '"file" is the name of a mount that ikigai itself has'],
])("adding %j changes nothing and says why", async (args, message) => {
  const { root, run, close } = await openWorkspace();
  await writeFile(join(root, "7.js"), `export * from ${JSON.stringify(pathToFileURL(ticker).href)};`);
  const { code, err } = await run(["plugin", "add", ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  await expect(readFile(join(root, "ikigai.config.json"))).rejects.toMatchObject({ code: "ENOENT" });
  await close();
});

test("a plugin that cannot be loaded is listed with its stage", async () => {
  const { root, run, close } = await openWorkspace();
  await writeFile(join(root, "ikigai.config.json"), '{"sources":[{"use":"ikigai-source-absent","mount":"x"}]}');
  await run(["trust", "--yes"]);
  expect(await run(["plugin", "list"])).toMatchObject({ code: 1, out: expect.stringContaining("failed at resolve") });
  expect((await run(["plugin", "check", "y"])).err).toContain('No plugin is configured as "y"');
  await close();
});

test("a plugin that does not open is neither added nor called ok, unless it is added without a check", async () => {
  const { root, run, close } = await openWorkspace();
  const use = join(root, "closed.mjs");
  await writeFile(
    use,
    `export const source = { name: "closed", kind: "block", contract: 1, capabilities: [],
      options: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } },
      open: async () => { throw new Error("nope.json cannot be read"); } };`,
  );
  const why = `Plugin "${use}" failed at open: nope.json cannot be read`;
  expect(await run(["plugin", "add", use])).toMatchObject({ code: 2, err: expect.stringContaining(why) });
  expect((await run(["plugin", "add", use, "--no-check"])).code).toBe(0);
  await run(["trust", "--yes"]);
  expect(await run(["plugin", "list"])).toMatchObject({ code: 1, out: expect.stringContaining(why) });
  expect(await run(["plugin", "check", "closed"])).toMatchObject({ code: 2, err: expect.stringContaining(why) });
  await close();
});

test("a package that was not built is not called absent, and one that is found is not offered again", async () => {
  const { root, run, close } = await openWorkspace();
  const install = async (name: string, entry: string): Promise<string> => {
    const folder = join(root, "node_modules", name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ name, type: "module", exports: `./${entry}` }));
    return folder;
  };
  const folder = await install("my-source", "dist/index.js");
  const { code, err } = await run(["plugin", "add", "my-source"]);
  expect([code, err]).toEqual([2, expect.stringContaining(`it is installed in ${folder}, but the entry file`)]);
  expect(err).toContain("npm run build");
  await writeFile(join(await install("@ikigai/source-cron", "index.js"), "index.js"), "");
  expect((await run(["plugin", "list"])).out).toMatch(/@ikigai\/source-cron +installed/);
  await close();
});
