// A loader that puts the body of each function of ours into a call of `__hop` with the file and the name of the function.
import { parseAst } from "rolldown/parseAst";

const OURS = /\/((?:packages|apps)\/[a-z-]+)\/dist\/(.*\.js)$/;

export async function load(url, context, next) {
  const loaded = await next(url, context);
  const [, folder, path] = OURS.exec(url) ?? [];
  if (folder === undefined || url.includes("/node_modules/") || loaded.format !== "module") return loaded;
  return { ...loaded, source: instrument(String(loaded.source), `${folder}/${path}`) };
}

function instrument(text, file) {
  const edits = [];
  const wrap = ({ body, async: isAsync }, name) => {
    const open = `__hop(${JSON.stringify(`${file} ${name}`)}, ${isAsync ? "async " : ""}() => `;
    if (body.type === "BlockStatement") edits.push([body.start + 1, ` return ${open}{`], [body.end - 1, "}); "]);
    else edits.push([body.start, `${open}(`], [body.end, "))"]);
  };
  const visit = (node, name) => {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, name));
    if (typeof node?.type !== "string") return;
    const own = (node.id ?? node.key ?? node.callee?.property ?? node.callee)?.name ?? name;
    const isFunction = /Function/.test(node.type) && node.body !== undefined;
    if (isFunction && !node.generator && name !== "constructor") wrap(node, node.id?.name ?? name);
    for (const value of Object.values(node)) if (typeof value === "object") visit(value, own);
  };
  visit(parseAst(text).body, "(module)");
  return edits
    .map(([at, added], order) => ({ at, added, order }))
    .toSorted((a, b) => b.at - a.at || b.order - a.order)
    .reduce((done, { at, added }) => done.slice(0, at) + added + done.slice(at), text);
}
