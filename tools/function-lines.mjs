// Every function of a file with its lines, nested ones and methods too: what `node tools/measure-structure.mjs --functions` lists.
import { readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** The functions of `file`, each as its name, its file, the line it starts on and the number of its lines. */
export function functionsOf(file) {
  const text = readFileSync(file, "utf8");
  const lineAt = (offset) => text.slice(0, offset).split("\n").length;
  const found = [];
  const visit = (node, name) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, name);
      return;
    }
    if (FUNCTIONS.has(node.type) && node.body) {
      const line = lineAt(node.start);
      found.push({ name: node.id?.name ?? name, file, line, lines: lineAt(node.end) - line + 1 });
    }
    const own = node.id?.name ?? node.key?.name ?? node.key?.value ?? name;
    for (const [key, child] of Object.entries(node)) if (key !== "parent") visit(child, own);
  };
  visit(parseAst(text, { lang: file.endsWith(".ts") ? "ts" : "js" }).body, "(module)");
  return found;
}
