// Which public names nothing outside their package uses: no other package, app, example, bench, tool, template or page.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const LIST = "tools/public-names.json";
const READ = /\.(?:ts|mts|mjs|md|tmpl)$/;
const NO_USER =
  /^(?:docs\/(?:decisions|reference)\/|\.changeset\/|tools\/fuzz\/corpus|CHANGELOG)|(?:^|\/)CHANGELOG\.md$/;

/** Types of what an author's own code must write down, although nothing in the tree does. */
const WRITTEN_DOWN = { "@ikigai/core": ["DataStream"], "@ikigai/host": ["OpenedPart", "PartHost"] };

/** Pages count with what stands in their code; a name in their prose is no use of it. */
function usedText(file, text) {
  if (!file.endsWith(".md")) return text;
  return [...text.matchAll(/^```[a-z]*\n([\s\S]*?)^```/gm)].map(([, code]) => code).join("\n");
}

/** The files of the tree that may use a public name, with their text. */
export function usingFiles() {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
  return files
    .split("\n")
    .filter((file) => READ.test(file) && !NO_USER.test(file) && file !== LIST)
    .flatMap((file) => {
      try {
        return [[file, usedText(file, readFileSync(file, "utf8"))]];
      } catch {
        return [];
      }
    });
}

/**
 * For each door of `names`, those that no file outside its package uses.
 *
 * A file uses a name when it names the door, or another of the same package, and the name. A page of the package itself,
 * its README, counts as outside: its code is run by tests.
 */
export function idleNames(names, files) {
  return Object.fromEntries(
    Object.entries(names).map(([door, offered]) => {
      const [scope, name] = door.split("/");
      const own = join("packages", name, "src/");
      const others = files.filter(([file, text]) => !file.startsWith(own) && text.includes(`${scope}/${name}`));
      const isUsed = (one) => others.some(([, text]) => new RegExp(`\\b${one}\\b`).test(text));
      return [door, offered.filter((one) => !WRITTEN_DOWN[door]?.includes(one) && !isUsed(one))];
    }),
  );
}
