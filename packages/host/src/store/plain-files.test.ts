import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const own = fileURLToPath(new URL("../..", import.meta.url));
/** Each program loads the whole host. */
const SLOW = { timeout: 120_000 };
const run = promisify(execFile);
let base: string;
let work: string;

/** Installs the host with the packages that it cannot do without, so with no store in PostgreSQL. */
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-plain-host-"));
  work = join(base, "work");
  await mkdir(work);
  const place = join(base, "node_modules/@ikigai/host");
  for (const part of ["dist", "package.json"]) await cp(join(own, part), join(place, part), { recursive: true });
  const manifest = JSON.parse(await readFile(join(own, "package.json"), "utf8")) as Record<string, object>;
  for (const name of Object.keys({ ...manifest["dependencies"], ...manifest["peerDependencies"] })) {
    const beside = join(base, "node_modules", name);
    await mkdir(dirname(beside), { recursive: true });
    await symlink(await realpath(join(own, "node_modules", name)), beside);
  }
});
afterAll(() => rm(base, { recursive: true, force: true }));

/** Runs a program of an application in which `host` is open over the plain folder `state`. Gives what it prints as JSON. */
async function inHost(body: string, ...args: readonly string[]): Promise<unknown> {
  const program = join(base, `program-${Math.random()}.mjs`);
  await writeFile(
    program,
    `import { openHost } from "@ikigai/host";
     const warnings = [];
     const host = await openHost({
       root: ${JSON.stringify(work)},
       store: process.argv[2],
       configDirectory: ${JSON.stringify(join(base, "config"))},
       approve: async () => ({ approved: true, by: "me" }),
       warn: (line) => warnings.push(line),
     });
     const call = async (name, input) => host.call({ name, arguments: input });
     const answer = await (async () => { ${body} })().finally(() => host.close());
     console.log(JSON.stringify(answer));`,
  );
  const env = { PATH: process.env["PATH"], HOME: base, XDG_DATA_HOME: join(base, "data") };
  const { stdout } = await run(process.execPath, [program, ...args], { env });
  return JSON.parse(stdout) as unknown;
}

test("an application without a database edits a stored asset and takes it back with /undo", SLOW, async () => {
  const state = join(base, "state");
  const made = await inHost(
    `const path = "ikigai:///blocks/a.md";
     await call("file_write", { path, content: "x is here" });
     const edited = await call("file_edit", { path, old: "x", new: "y" });
     const after = await call("file_read", { path });
     const undone = await host.command("/undo blocks/a");
     const history = await host.command("/history blocks/a");
     return { edited: edited.success, after: after.data.content, undone: undone.success, history: history.data.data.length };`,
    state,
  );
  expect(made).toEqual({ edited: true, after: "y is here", undone: true, history: 3 });
  const later = await inHost(
    `const { data } = await call("file_read", { path: "ikigai:///blocks/a.md" });
     const revisions = [];
     for await (const { text } of host.sources.route("ikigai:///blocks/a.md").source.history("blocks/a.md")) revisions.push(text);
     return [data.content, revisions];`,
    state,
  );
  expect(later).toEqual(["x is here", ["x is here", "y is here", "x is here"]]);
  expect(await readdir(state)).not.toContain("postgres");
});

test(
  "an application without a database pins, is refused past its budget, loads blocks, and is audited",
  SLOW,
  async () => {
    const got = await inHost(
      `await call("file_write", { path: "ikigai:///blocks/a.md", content: "some words" });
     const pinned = await host.command("/pin blocks/a");
     await host.store.pins.setLimit("default", 20);
     const refused = await call("file_write", { path: "ikigai:///blocks/b.md", content: "many words ".repeat(20) });
     const loaded = await call("block", { op: "load", label: "blocks/a.md", source_id: "ikigai" });
     const listed = await host.command("/assets list");
     const rows = await host.store.audit.read({ tool: "file_write" });
     return { pinned: pinned.success, refused: refused.code, loaded: loaded.success, listed: listed.data.data.map(({ path }) => path),
       audited: rows.length > 0, mount: host.sources.status("ikigai")[0].name };`,
      join(base, "pins"),
    );
    expect(got).toEqual({
      pinned: true,
      refused: "over_budget",
      loaded: true,
      listed: ["blocks/a.md"],
      audited: true,
      mount: "FileAssetSource",
    });
  },
);

test("two processes that edit one asset lose no edit of each other", SLOW, async () => {
  const state = join(base, "shared");
  await inHost('return call("file_write", { path: "ikigai:///log.md", content: "end" });', state);
  const editor = `
    const codes = new Set();
    for (let n = 0; n < 6; n += 1) {
      for (;;) {
        const answer = await call("file_edit", { path: "ikigai:///log.md", old: "end", new: process.argv[3] + n + "\\nend" });
        if (answer.success) break;
        codes.add(answer.code);
        if (answer.code !== "conflict") return [...codes, answer.error];
      }
    }
    return [...codes];`;
  const codes = await Promise.all(["a", "b"].map((name) => inHost(editor, state, name)));
  for (const seen of codes as string[][]) expect(seen.filter((code) => code !== "conflict")).toEqual([]);
  const { content, count } = (await inHost(
    `const { data } = await call("file_read", { path: "ikigai:///log.md" });
     const { data: history } = await host.command("/history log");
     return { content: data.content, count: history.data.length };`,
    state,
  )) as { content: string; count: number };
  const lines = content.split("\n");
  const expected = ["a", "b"].flatMap((name) => Array.from({ length: 6 }, (_, n) => `${name}${n}`));
  expect([lines.toSorted(), lines.at(-1)]).toEqual([[...expected, "end"].toSorted(), "end"]);
  expect(count).toBe(13);
});

test("the address of a server without the packages that reach it is refused, and no file is made", SLOW, async () => {
  const refused = inHost("return true;", "postgres://nobody@127.0.0.1:1/none");
  await expect(refused).rejects.toMatchObject({
    stderr: expect.stringMatching(/A store in PostgreSQL needs .*@ikigai\/store-postgres.* not installed/) as string,
  });
  await expect(readdir(join(base, "data"))).rejects.toMatchObject({ code: "ENOENT" });
});
