// Facts that several packages need stand in one file each: a copy of what defines one fails here.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What each fact is defined by, and the file where it stands. */
export const FACTS = [
  [
    "order of permissions",
    /"read_only",\s*"partner"|"read_only"\s*\|\s*"partner"/,
    "packages/core/src/policy/permission.ts",
  ],
  ["characters that hide text", /\\u202[ae]|\\p\{Cf\}\\p\{C|\\p\{C\}/, "packages/core/src/hidden-characters.ts"],
  ["strictness of opinions", /\ballow: 0,\s*ask: 1/, "packages/core/src/policy/policy.ts"],
  ["actions that edit", /"create",\s*"append",\s*"update"\]/, "packages/core/src/policy/policy.ts"],
  ["mount of an address", /slice\(0, [^;]*":\/\/\/"|\^\(\[a-z\]\[a-z0-9-\]\{0,31\}\):/, "packages/core/src/address.ts"],
  ["name of a mount", /\/\^\[a-z\]\[a-z0-9-\]\{0,31\}\$/, "packages/core/src/address.ts"],
  ["name of a tool", /\[a-z\]\[a-z0-9_\]\{0,63\}\$/, "packages/core/src/tool/catalog.ts"],
  ["order of texts", /function (?:by|compare)CodePoints?\b/, "packages/core/src/address.ts"],
  ["who acts in a call", /places !== undefined && \{ places \}/, "packages/core/src/call/actor-of.ts"],
  ["seen versions", /keyOf\(actor, uri\)/, "packages/core/src/seen-versions.ts"],
  ["planning", /new WeakMap<(?:Input|object),/, "packages/core/src/call/planner.ts"],
  ["redaction", /\[redacted\$\{/, "packages/core/src/redact/secret-span.ts"],
  ["token counter", /from "gpt-tokenizer/, "packages/host/src/tokens/count-tokens.ts"],
  [
    "estimate of tokens",
    /function estimateTokens\b|byteLength\(\w+\) \/ [34]\b/,
    "packages/core/src/text/estimate-tokens.ts",
  ],
  ["lines of a text", /function (?:countLines|sliceLines|startOfLine)\b/, "packages/core/src/text/lines.ts"],
  ["glob of a search", /function compileSearchGlob\b/, "packages/shell/src/search/glob-pattern.ts"],
  ["glob of paths below a root", /function compile(?:Path)?Glob\b/, "packages/source-file/src/glob.ts"],
  ["Embedder", /export interface Embedder\b/, "packages/core/src/embedder.ts"],
  ["journal contract", /export interface JournalRecord\b/, "packages/memory/src/journal/journal.ts"],
  ["pin contract", /export interface Pin\b/, "packages/memory/src/pins/pins.ts"],
  ["budget contract", /export interface BudgetStatus\b/, "packages/memory/src/pins/pins.ts"],
  ["conversation contract", /export interface RecordedManifest\b/, "packages/core/src/conversations.ts"],
];

/** The files that define each fact. `files` are pairs of path and text. */
export function copiesOf(files) {
  return FACTS.map(([fact, defines, home]) => {
    const found = files.filter(([, text]) => defines.test(text)).map(([file]) => file);
    return { fact, home, found };
  });
}

/** The files of the product with their text: no tests, no fixtures. */
export function productFiles() {
  const folders = [...readdirSync("packages").map((name) => join("packages", name, "src")), "apps/cli/src"];
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
    .filter((file) => file.endsWith(".ts") && !/\.test\.|(^|\/)(testing|fixtures)\//.test(file))
    .map((file) => [file, readFileSync(file, "utf8")]);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { fact, home, found } of copiesOf(productFiles())) {
    if (found.length === 1 && found[0] === home) continue;
    process.stderr.write(`${fact}: stands in ${home}, and is defined in [${found.join(", ")}]\n`);
    process.exitCode = 1;
  }
}
