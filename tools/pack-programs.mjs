// One line for each package: what a user of it alone would run. Each prints "ok".
const mount = (pkg, name, options) =>
  `import { createSourceManager } from "@ikigai/core"; import { ${name} } from "${pkg}"; const s = createSourceManager(); ` +
  `await s.mount({ mount: "x", source: ${name}, options: ${options} }); console.log(s.status()[0].mount === "x" ? "ok" : "no"); await s.close();`;

const has = (pkg, name) =>
  `import { ${name} } from "${pkg}"; console.log(typeof ${name} === "function" ? "ok" : "no");`;

export const PROGRAMS = {
  "@ikigai/core": has("@ikigai/core", "createSourceManager"),
  "@ikigai/source-cron": mount("@ikigai/source-cron", "cronSource", "{ everyMs: 1000 }"),
  "@ikigai/source-file": mount("@ikigai/source-file", "fileSource", '{ root: "." }'),
  "@ikigai/source-git": `import { execFileSync } from "node:child_process"; execFileSync("sh", ["-c", "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x"]); ${mount("@ikigai/source-git", "gitSource", '{ repository: "." }')}`,
  "@ikigai/source-http": mount("@ikigai/source-http", "httpSource", '{ url: "http://127.0.0.1/" }'),
  "@ikigai/source-sqlite": mount("@ikigai/source-sqlite", "sqliteSource", '{ file: "x.db", create: true }'),
  "@ikigai/source-postgres": has("@ikigai/source-postgres", "postgresAssetSource"),
  "@ikigai/memory": has("@ikigai/memory", "createBlocks"),
  "@ikigai/database": has("@ikigai/database", "openDatabase"),
  "@ikigai/mcp": has("@ikigai/mcp", "createMcpServer"),
  "@ikigai/recall": has("@ikigai/recall", "createRecallTool"),
  "@ikigai/permission": has("@ikigai/permission", "openGrants"),
  "@ikigai/shell": has("@ikigai/shell", "commandOpinion"),
};
