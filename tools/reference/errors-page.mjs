import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { code, table } from "./tables.mjs";

/** The page of the error codes: what each means, and which packages answer with it. */
export function errorsPage() {
  const text = readFileSync("packages/core/src/errors.ts", "utf8");
  const [, union = ""] = /export type ErrorCode =([^]*?)";\n/.exec(text) ?? [];
  const codes = [...union.matchAll(/\/\*\* ([^*]*) \*\/\s*\| "([a-z_]+)/g)].map(([, meaning, name]) => ({
    name,
    meaning,
  }));
  if (codes.length !== (union.match(/^ *\| "/gm) ?? []).length) throw new Error("A code of ErrorCode has no comment");
  const users = codesByPackage();
  const rows = codes.map(({ name, meaning }) => [
    `\`${name}\``,
    meaning,
    Object.keys(users)
      .filter((one) => users[one].has(name))
      .map(code)
      .join(", "),
  ]);
  return `# Error codes

A failed call answers \`{ "success": false, "error": "…", "code": "…" }\`, sometimes with \`details\`. The code is API within a major
version; the sentence is for people and models, and may change. Bad input changes nothing.

${table(["code", "meaning", "named in"], rows)}
`;
}

/** Which codes the source of each package throws. */
function codesByPackage() {
  const found = {};
  for (const name of readdirSync("packages").toSorted()) {
    const folder = join("packages", name, "src");
    const files = readdirSync(folder, { recursive: true }).filter(
      (file) => file.endsWith(".ts") && !/\.test\.ts$|testing/.test(file),
    );
    const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
    found[name] = new Set(
      texts.flatMap((text) => [...text.matchAll(/IkigaiError\(\s*"([a-z_]+)"/g)].map(([, one]) => one)),
    );
  }
  return found;
}
