import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const host = fileURLToPath(new URL("..", import.meta.url));
let base: string;

/** Installs the host without its optional packages, as `npm install --omit=optional` does. */
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-minimal-"));
  await writeFile(join(base, "package.json"), '{ "name": "application", "private": true, "type": "module" }');
  await mkdir(join(base, "work"));
  const modules = join(base, "node_modules");
  for (const part of ["dist", "package.json"])
    await cp(join(host, part), join(modules, "@ikigai/host", part), { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(host, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of ["@ikigai/core", ...Object.keys(dependencies)]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(await realpath(join(host, "node_modules", name)), join(modules, name));
  }
});
afterAll(() => rm(base, { recursive: true, force: true }));

/** Runs a program in the application's folder. It prints one JSON value. */
async function program(text: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const whole = `
    import { openHost } from "@ikigai/host";
    const print = (value) => console.log(JSON.stringify(value));
    const failure = ({ code, message, hint }) => ({ code, message, hint });
    ${text}`;
  await writeFile(join(base, "program.mjs"), whole);
  const { stdout } = await promisify(execFile)(process.execPath, ["program.mjs"], {
    cwd: base,
    env: { PATH: process.env["PATH"], HOME: base, ...env },
  });
  return JSON.parse(stdout);
}

const STORE_PACKAGES = /@ikigai\/database, @ikigai\/store-postgres, .* not installed$/;
const NO_SERVER = {
  code: "unavailable",
  message: expect.stringMatching(STORE_PACKAGES) as string,
  hint: expect.stringMatching(/^Run: npm install .*@ikigai\/store-postgres@\d/) as string,
};

test("a server as the store without its packages is refused, and nothing is written elsewhere", async () => {
  const open = (options: string): string => `print(await openHost(${options}).catch(failure));`;
  expect(await program(open('{ root: "work", store: "postgres://someone@localhost/x" }'))).toEqual(NO_SERVER);
  const env = { DATABASE_URL: "postgresql://someone@localhost/x" };
  expect(await program(open('{ root: "work" }'), env)).toEqual(NO_SERVER);
  expect(await readdir(base)).not.toContain(".local");
});

test.each([
  ["recall", "@ikigai/recall"],
  ["bash", "@ikigai/shell"],
  ["create_note", "@ikigai/notes"],
])("a call of %s without its package answers with the command that installs it", async (name, needed) => {
  const answer = await program(`
    const host = await openHost({ root: "work", store: "state" });
    print(await host.call({ name: ${JSON.stringify(name)}, arguments: {} }));
    await host.close();`);
  expect(answer).toMatchObject({
    success: false,
    code: "unavailable",
    error: expect.stringMatching(
      new RegExp(`needs ${needed}.* not installed\\. Run: npm install .*${needed}@`),
    ) as string,
  });
});

test("parts whose packages are missing are listed once, as not installed and with the command", async () => {
  const parts = (await program(`
    const host = await openHost({ root: "work", store: "state" });
    print(host.parts());
    await host.close();`)) as { part: string; state: string; install?: string; error?: string }[];
  expect(parts.map(({ part, state }) => [part, state])).toEqual([
    ["memory", "open"],
    ["workspace", "open"],
    ["outputs", "open"],
    ["recall", "not_installed"],
    ["notes", "not_installed"],
    ["shell", "not_installed"],
    ["mcp", "not_installed"],
  ]);
  for (const { part, install, error } of parts.slice(3)) {
    expect(install).toMatch(new RegExp(`^npm install --prefix \\S+ @ikigai/${part}@\\d`));
    expect(error).toContain(`Run: ${install}`);
  }
});

test.each([
  ["packages/host/README.md", /^true\n$/],
  ["docs/how-to/embed-it.md", /^6 \[\n.*npm install/],
])("the first example of %s works as it is printed", async (page, printed) => {
  const text = await readFile(join(host, "../..", page), "utf8");
  const [, example = ""] = /```ts\n([^]*?)```/.exec(text) ?? [];
  expect(example).toContain("await using host = await openHost(");
  for (const folder of ["workspace", "config"]) await mkdir(join(base, page, folder), { recursive: true });
  // Node 20 does not know `using`.
  const closed = `${example.replace("await using host", "const host")}await host.close();\n`;
  await writeFile(join(base, page, "example.mjs"), closed);
  const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], {
    cwd: join(base, page),
    env: { PATH: process.env["PATH"], HOME: base },
  });
  expect(stdout).toMatch(printed);
});
