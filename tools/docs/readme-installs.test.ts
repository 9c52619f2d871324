import { readdir, readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./markdown.ts";

/** Test runners that a reader has already, or takes another one of. */
const RUNNERS: ReadonlySet<string> = new Set(["vitest"]);

/** The package that an import of `specifier` needs. */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

const packages = await readdir(join(ROOT, "packages"));

test.each(packages)("the first command in the README of %s installs what its examples import", async (name) => {
  const page = await readFile(join(ROOT, "packages", name, "README.md"), "utf8");
  const install = /^npm install (.*)$/m.exec(page)?.[1]?.split(" ");
  const examples = [...page.matchAll(/^```[tj]s\n([^]*?)^```/gm)].map(([, code = ""]) => code);
  const imported = examples.flatMap((code) => [...code.matchAll(/ from "([^".]+)"/g)].map(([, from = ""]) => from));
  const needed = new Set(imported.filter((from) => !isBuiltin(from)).map(packageOf));
  const missing = [...needed].filter((one) => !RUNNERS.has(one) && install?.includes(one) === false);
  expect(missing).toEqual([]);
});
