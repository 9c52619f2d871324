// Reads the declaration files that the compiler wrote: which names a package offers, with their comments and types.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The public names of an entry point, each with its comment and declaration, in alphabetical order. */
export function declarationsOf(index) {
  const text = readFileSync(index, "utf8");
  const found = [];
  for (const [, list, from] of text.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)) {
    // What another package says of itself stands there.
    if (!from.startsWith(".")) continue;
    const file = readFileSync(join(dirname(index), from.replace(/\.(ts|js)$/, ".d.ts")), "utf8");
    for (const item of list.split(",").filter((one) => one.trim() !== ""))
      found.push(declarationOf(file, item.replace(/^\s*type\s+/, "").trim(), from));
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function declarationOf(file, name, from) {
  const start = new RegExp(`^export (?:declare )?(?:function|const|class|interface|type) ${name}\\b`, "m").exec(file);
  if (start === null) throw new Error(`${from} has no declaration of ${name}`);
  const [, comment = ""] = /(\/\*\*(?:(?!\*\/)[^])*\*\/)\s*$/.exec(file.slice(0, start.index)) ?? [];
  return { name, comment: plain(comment), text: complete(file.slice(start.index)) };
}

/** A declaration up to where it ends: the first semicolon or closing brace outside all brackets. */
function complete(text) {
  let depth = 0;
  const isBlock = /^export (?:declare )?(?:interface|class)/.test(text);
  const ignored = /\/\*[^]*?\*\/|"(?:\\.|[^"\\])*"|`[^`]*`|=>|./gs;
  for (const { 0: part, index } of text.matchAll(ignored)) {
    if ("([{<".includes(part)) depth++;
    else if (")]}>".includes(part)) depth--;
    if (depth === 0 && (isBlock ? part === "}" : part === ";"))
      return text
        .slice(0, index + 1)
        .replace("export declare ", "")
        .replace("export ", "");
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
