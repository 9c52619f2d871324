// Names that are metaphors have to be learnt: exported identifiers and names of files do without these words.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Refused words, and what to say instead. */
const REFUSED = {
  desk: "operations",
  shelf: "what is kept open, by its name",
  stray: "leftover",
  beside: "where it is",
  movable: "switchable",
  backend: "source",
  whitelist: "grant",
};
const WORDS = new RegExp(`^(?:${Object.keys(REFUSED).join("|")})s?$`);
const EXPORTED = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;

/** One sentence for each name in `files`, pairs of path and text, that has a refused word. */
export function findWords(files) {
  return files.flatMap(([file, text]) =>
    [basename(file, ".ts"), ...[...text.matchAll(EXPORTED)].map(([, name]) => name)].flatMap((name) =>
      wordsOf(name)
        .filter((word) => WORDS.test(word))
        .map((word) => `${file}: "${name}" has the word "${word}"; say ${REFUSED[word.replace(/s$/, "")]}`),
    ),
  );
}

/** The words of an identifier or of a file's name, in lower case. */
function wordsOf(name) {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folders = [...readdirSync("packages").map((name) => join("packages", name, "src")), "apps/cli/src"];
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
    .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
    .map((file) => [file, readFileSync(file, "utf8")]);
  for (const problem of findWords(files)) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
  }
}
