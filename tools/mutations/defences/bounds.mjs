// Defences of the store against what it is given, and of the disk.
const audit = "packages/store-postgres/src/audit/audit.test.ts";
const outputs = "apps/cli/src/outputs.test.ts";

/** @type {import("../defence.d.mts").Defence[]} */
export const bounds = [
  {
    name: "An old spool is made storable when it is taken in",
    file: "packages/store-postgres/src/audit/audit.ts",
    old: "const storable = storableRow(row as AuditRow);",
    new: "const storable = row as AuditRow;",
    test: audit,
  },
  {
    name: "Retention reads messages that hold a NUL",
    file: "packages/store-postgres/src/retention.ts",
    old: String.raw`regexp_replace(m.data, '\\\\.', '_', 'g')::json`,
    new: "m.data::json",
    test: "packages/store-postgres/src/retention.test.ts",
  },
  {
    name: "Kept outputs belong to an agent",
    file: "packages/host/src/parts/outputs/outputs.ts",
    old: "JSON.stringify([agent, workspace])",
    new: "JSON.stringify([workspace])",
    test: outputs,
    title: "a kept output belongs to one agent in one workspace",
  },
  {
    name: "Kept outputs hold no secret",
    file: "packages/host/src/parts/outputs/outputs.ts",
    old: "redactor.redact(text)",
    new: "text",
    test: outputs,
    title: "a kept output has no secret, and the same text is kept once",
  },
  {
    name: "What a command printed is kept without secrets",
    file: "packages/shell/src/part/shell-part.ts",
    old: "for (const one of used) await redactFiles(one, redactor);",
    new: "",
    test: outputs,
    title: "what a command printed has no secret once its process is gone",
  },
  {
    name: "Kept outputs are bounded",
    file: "packages/host/src/parts/outputs/output-folder.ts",
    old: "if (added > lookAfterBytes) await prune(path);",
    new: "",
    test: "packages/host/src/parts/outputs/output-folder.test.ts",
    title: "whatever is added, the bounds hold and the latest stays",
  },
  {
    name: "The file of trusted tools is read once",
    file: "packages/host/src/mcp/tool-trust.ts",
    old: "reading ??= (async",
    new: "reading = (async",
    test: "packages/host/src/mcp/tool-trust.test.ts",
  },
  {
    name: "A stopped keeper is told of",
    file: "packages/database/src/client/stopped-keeper.ts",
    old: 'return stateOf(pid).startsWith("T");',
    new: "return false;",
    test: "packages/database/src/stopped-keeper.test.ts",
  },
];
