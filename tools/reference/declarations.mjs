// Reads the declaration files that the compiler wrote: which names a package offers, with their comments and types.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The public names of each entry point with their comments and declarations, in alphabetical order, and the types of the same
 * package that these name and that no entry point offers: they stand at the first that names them.
 */
export function declarationsOfAll(indices) {
  const offered = indices.map(exportedOf);
  const keyOf = ({ file, name }) => `${file} ${name}`;
  const known = new Set(offered.flat().map(keyOf));
  return offered.map((found) => {
    for (const { file, text } of found) {
      for (const one of namedIn(file, text.replaceAll(COMMENT, ""))) {
        if (known.has(keyOf(one))) continue;
        known.add(keyOf(one));
        found.push(one);
      }
    }
    return found.toSorted(byName);
  });
}

const byName = (a, b) => (a.name < b.name ? -1 : 1);
const COMMENT = /\/\*[^]*?\*\//g;
const DECLARED = /^(?:export )?(?:declare )?(?:interface|type) (\w+)/gm;
const IMPORTED = /^import (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm;

/** The types that a declaration names, of its own file and of those that it imports. */
function namedIn(file, text) {
  const words = new Set(text.match(/\b[A-Z]\w+\b/g));
  const content = readFileSync(file, "utf8");
  const found = [];
  const add = (name, where) => {
    const one = words.has(name) ? declarationOf(where, name, where, true) : undefined;
    if (one !== undefined) found.push(one);
  };
  for (const [, name] of content.matchAll(DECLARED)) add(name, file);
  for (const [, list, from] of content.matchAll(IMPORTED)) {
    for (const name of namesOf(list)) add(name, fileOf(file, from));
  }
  return found;
}

function namesOf(list) {
  const items = list.split(",").filter((one) => one.trim() !== "");
  return items.map((item) => item.replace(/^\s*type\s+/, "").trim());
}

function fileOf(index, from) {
  return join(dirname(index), from.replace(/\.(ts|js)$/, ".d.ts"));
}

function exportedOf(index) {
  const text = readFileSync(index, "utf8");
  const found = [];
  for (const [, list, from] of text.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)) {
    // What another package says of itself stands there.
    if (!from.startsWith(".")) continue;
    for (const name of namesOf(list)) found.push(declarationOf(fileOf(index, from), name, from));
  }
  return found;
}

function declarationOf(file, name, from, isOptional = false) {
  const content = readFileSync(file, "utf8");
  const start = new RegExp(`^(?:export )?(?:declare )?(?:function|const|class|interface|type) ${name}\\b`, "m").exec(
    content,
  );
  if (start === null && isOptional) return undefined;
  if (start === null) throw new Error(`${from} has no declaration of ${name}`);
  const [, comment = ""] = /(\/\*\*(?:(?!\*\/)[^])*\*\/)\s*$/.exec(content.slice(0, start.index)) ?? [];
  return { name, comment: plain(comment), text: complete(content.slice(start.index)), file };
}

/** A declaration up to where it ends: the first semicolon or closing brace outside all brackets. */
function complete(text) {
  let depth = 0;
  const isBlock = /^(?:export )?(?:declare )?(?:interface|class)/.test(text);
  const ignored = /\/\*[^]*?\*\/|"(?:\\.|[^"\\])*"|`[^`]*`|=>|./gs;
  for (const { 0: part, index } of text.matchAll(ignored)) {
    if ("([{<".includes(part)) depth++;
    else if (")]}>".includes(part)) depth--;
    if (depth === 0 && (isBlock ? part === "}" : part === ";"))
      return text.slice(0, index + 1).replace(/^(?:export )?(?:declare )?/, "");
  }
  return text;
}

/** A doc comment as Markdown. */
function plain(comment) {
  return comment
    .replace(/^\/\*\*|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .replaceAll(/\{@link ([^}]+)\}/g, "`$1`")
    .trim();
}
