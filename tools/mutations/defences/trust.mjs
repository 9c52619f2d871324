// Defences of what a configuration names, and of trust in what runs.
const named = "apps/cli/src/named-by-configuration.test.ts";
const run = "apps/cli/src/trust/run-trust.test.ts";
const layouts = "apps/cli/src/trust/ordinary-layouts.test.ts";
const small = "packages/permission/src/small-file.test.ts";

/** @type {import("../defence.d.mts").Defence[]} */
export const trust = [
  {
    name: "A source is looked for where its configuration stands",
    file: "packages/host/src/plugins/mount-configured.ts",
    old: 'loadPlugin("source", use, from ?? root,',
    new: 'loadPlugin("source", use, root,',
    test: named,
  },
  {
    name: "A hook runs where its configuration stands",
    file: "packages/host/src/trust/code-unit.ts",
    old: "from: from ?? root, cwd: from ?? root, command",
    new: "from: root, cwd: root, command",
    test: named,
  },
  {
    name: "What runs is judged at each run",
    file: "packages/host/src/trust/code-runs.ts",
    old: "unit.from === root ? await trust?.judge(unit) : undefined",
    new: "undefined",
    test: run,
  },
  {
    name: "A change in a folder of which anything may run asks again",
    file: "packages/host/src/trust/project-trust.ts",
    old: "if (reach.anything === undefined) return undefined;",
    new: "return undefined;",
    test: layouts,
    title: "make as a hook|sh -c as a hook",
  },
  {
    name: "Files that trusted code is made of need a person",
    file: "packages/host/src/policy/create-judgement.ts",
    old: "whyObeyed: await obeyedFiles(codeUnits(config, root)),",
    new: "",
    test: run,
  },
  {
    name: "A configuration is a regular file",
    file: "packages/permission/src/small-file.ts",
    old: "if (stats.isFile()) return;",
    new: "return;",
    test: small,
  },
  {
    name: "A configuration is small",
    file: "packages/permission/src/small-file.ts",
    old: "if (total > maxBytes)",
    new: "if (false)",
    test: small,
  },
];
