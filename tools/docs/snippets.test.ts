import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { configSchema } from "../../packages/host/src/configuration/config.ts";
import { commandsIn, ikigaiWords, misuse } from "./command-lines.ts";
import { anchorsOf, fencesOf, linksOf, pages, read, resolveLink, ROOT } from "./markdown.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const all = pages();
const fences = all.flatMap((page) => fencesOf(page));
const where = ({ page, line }: { page: string; line: number }): string => `${page}:${line}`;
const CODE = ["ts", "js", "mjs"];
/** Written by `npm run bench` on a quiet machine, not by hand. */
const MEASURED = "docs/benchmarks.md";
const LANGUAGES = new Set(["", "text", "sh", "json", "md", ...CODE]);

test("every fence says what it is, so that it can be checked", () => {
  expect(fences.length).toBeGreaterThan(50);
  expect(fences.filter(({ language }) => !LANGUAGES.has(language)).map(where)).toEqual([]);
});

test("every code snippet compiles against the packages", { timeout: 120_000 }, async () => {
  const own = fences.filter(
    ({ language, about }) => CODE.includes(language) && !/^(examples\/|declaration$)/.test(about),
  );
  expect(own.length).toBeGreaterThan(20);
  const folder = await mkdtemp(join(tmpdir(), "ikigai-snippets-"));
  folders.push(folder);
  await linkPackages(folder);
  const names = own.map((fence) => `${where(fence).replaceAll(/[^\w]+/g, "-")}.${fence.language}`);
  await Promise.all(own.map(({ text }, index) => writeFile(join(folder, names[index] ?? ""), `${text}\nexport {};\n`)));
  const options = {
    target: "es2023",
    module: "nodenext",
    lib: ["es2024", "esnext.disposable", "esnext.array"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    allowJs: true,
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: names }));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const said = await promisify(execFile)(tsc, ["-p", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(said).toBe("");
});

test("a snippet that names an example is a passage of it", () => {
  const shown = fences.filter(({ about }) => about.startsWith("examples/"));
  expect(shown.length).toBeGreaterThan(3);
  const wrong = shown.filter(({ about, text }) => {
    const lines = readFileSync(join(ROOT, about), "utf8").split("\n");
    const wanted = text.trimEnd().split("\n");
    return !lines.some((_, start) => isPassage(lines.slice(start, start + wanted.length), wanted));
  });
  expect(wrong.map(where)).toEqual([]);
});

test("declarations stand only in the generated reference", () => {
  const elsewhere = fences.filter(({ about, page }) => about === "declaration" && !page.startsWith("docs/reference/"));
  expect(elsewhere.map(where)).toEqual([]);
});

test("every JSON snippet parses, and every configuration is valid", () => {
  const wrong = fences
    .filter(({ language, about }) => language === "json" && about !== "answer")
    .flatMap((fence) => problemsOf(fence.text).map((problem) => `${where(fence)}: ${problem}`));
  const inline = all.flatMap((page) =>
    [...read(page).matchAll(/`(\{ "use".*?\})`/g)].flatMap(([, entry = ""]) =>
      problemsOf(`{"sources":[${entry}]}`).map((problem) => `${page}: ${problem}`),
    ),
  );
  expect([...wrong, ...inline]).toEqual([]);
});

test("every command that is shown exists, with its flags and arguments", async () => {
  const scripts = fences.filter(({ language }) => language === "sh");
  const checked: string[] = [];
  const wrong: string[] = [];
  for (const fence of scripts) {
    for (const command of commandsIn(fence.text)) {
      const words = ikigaiWords(command);
      if (words === undefined) continue;
      checked.push(command.join(" "));
      const problem = await misuse(words);
      if (problem !== undefined) wrong.push(`${where(fence)}: ${command.join(" ")}: ${problem}`);
    }
  }
  expect(checked.length).toBeGreaterThan(30);
  expect(wrong).toEqual([]);
});

test("a command that is not run says why", () => {
  const silent = fences.filter(({ about }) => about.startsWith("norun") && !/^norun: \S.{5,}/.test(about));
  expect(silent.map(where)).toEqual([]);
});

test("every link within the repository leads somewhere", () => {
  const wrong = all.flatMap((page) =>
    linksOf(page).filter(({ target }) => {
      if (/^(https?|mailto):/.test(target)) return false;
      const [file = "", anchor] = target.split("#");
      const path = file === "" ? page : resolveLink(page, file);
      if (!existsSync(join(ROOT, path))) return path !== MEASURED;
      return anchor !== undefined && path.endsWith(".md") && !anchorsOf(path).has(anchor);
    }),
  );
  expect(wrong.map((link) => `${where(link)}: ${link.target}`)).toEqual([]);
});

test("every page of the docs is linked from another", () => {
  const targets = new Set(
    all.flatMap((page) => linksOf(page).map(({ target }) => resolveLink(page, target.split("#")[0] ?? ""))),
  );
  const docs = all.filter((page) => page.startsWith("docs/") && !page.startsWith("docs/decisions/"));
  expect(docs.filter((page) => !targets.has(page))).toEqual([]);
});

test("the picture shows what the page says that the program prints", () => {
  const page = read("docs/how-to/run-the-agent.md");
  const texts = [...read("docs/demo.svg").matchAll(/<text[^>]*>(.*)<\/text>/g)].map(([, line = ""]) => line);
  const lines = texts.map((line) => line.replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&"));
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => !page.includes(line.replace(/^\$ |…$/g, "")))).toEqual([]);
});

test("the checks notice what is wrong", async () => {
  expect(await misuse(["tool", "file_read", "--fast"])).toContain("unknown option");
  expect(await misuse(["plugin", "explode"])).toBeDefined();
  expect(await misuse(["mcp", "install"])).toContain("missing required argument");
  expect(await misuse(["--approve", "sometimes"])).toContain("Allowed choices");
  expect(problemsOf('{"rules":[{"glob":"**","permission":"maybe"}]}')).not.toEqual([]);
  expect(commandsIn("a 'b c' | d # e\nf \\\n g")).toEqual([["a", "b c"], ["d"], ["f", "g"]]);
});

function problemsOf(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [String(error)];
  }
  const fields = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (!fields.some((field) => ["sources", "rules", "agents", "hooks", "budget", "watch", "model"].includes(field)))
    return [];
  return configSchema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
}

function isPassage(lines: readonly string[], wanted: readonly string[]): boolean {
  const indent = (lines[0]?.length ?? 0) - (lines[0]?.trimStart().length ?? 0);
  return wanted.every((line, index) => lines[index]?.slice(Math.min(indent, lines[index]?.length ?? 0)) === line);
}

/** What an author would have installed: our packages, and what the examples name besides. */
async function linkPackages(folder: string): Promise<void> {
  const modules: [string, string][] = readdirSync(join(ROOT, "packages")).map((name) => [
    `@ikigai/${name}`,
    join(ROOT, "packages", name),
  ]);
  modules.push(["zod", join(ROOT, "packages/core/node_modules/zod")], ["vitest", join(ROOT, "node_modules/vitest")]);
  modules.push(["@types/node", join(ROOT, "node_modules/@types/node")]);
  for (const [name, target] of modules) {
    await mkdir(dirname(join(folder, "node_modules", name)), { recursive: true });
    await symlink(target, join(folder, "node_modules", name));
  }
}
