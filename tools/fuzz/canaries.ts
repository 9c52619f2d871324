/** Programs that leave a mark when they run, though nobody approved or trusted them. */

const asShell = (marks: string, name: string): string => `#!/bin/sh\necho ran >> '${marks}/${name}'\nexit 0\n`;
const asModule = (marks: string, name: string): string =>
  `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(`${marks}/${name}`)}, "ran\\n");\nexport const source = {};\n`;
const asCommonJs = (marks: string, name: string): string =>
  `require("fs").appendFileSync(${JSON.stringify(`${marks}/${name}`)}, "ran\\n");\n`;

/** Names that a careless search would find in the workspace instead of the system. */
const PROGRAMS = ["git", "rg", "mkfifo", "node", "npx", "bash", "sh", "fuzz-hook", "ps", "setsid", "env"];

export interface Planted {
  readonly path: string;
  readonly text: string;
  readonly isProgram: boolean;
}

/** What is planted in the workspace. `marks` is the folder where a program that runs leaves its name. */
export function canariesIn(marks: string): Planted[] {
  const planted: Planted[] = [];
  for (const name of PROGRAMS) {
    for (const folder of ["", "bin/", "node_modules/.bin/"])
      planted.push({
        path: `${folder}${name}`,
        text: asShell(marks, `program-${folder.replaceAll("/", "-")}${name}`),
        isProgram: true,
      });
  }
  const shell = (path: string, name: string): number =>
    planted.push({ path, text: asShell(marks, name), isProgram: true });
  const module = (path: string, name: string): number =>
    planted.push({ path, text: asModule(marks, name), isProgram: false });
  for (const hook of ["pre-commit", "post-checkout", "fsmonitor-watchman", "post-index-change"]) {
    shell(`.git/hooks/${hook}`, `git-hook-${hook}`);
    shell(`sub/.git/hooks/${hook}`, `nested-git-hook-${hook}`);
  }
  shell("monitor.sh", "fsmonitor");
  shell("differ.sh", "diff-external");
  shell("hook.sh", "user-hook-in-workspace");
  shell("evil-hook.sh", "project-hook");
  module("source.mjs", "user-source-in-workspace");
  module("evil-source.mjs", "project-source");
  module("node_modules/fuzz-source/index.js", "user-package-in-workspace");
  planted.push({
    path: "node_modules/fuzz-source/package.json",
    text: JSON.stringify({ name: "fuzz-source", version: "1.0.0", type: "module", exports: "./index.js" }),
    isProgram: false,
  });
  planted.push({ path: "server.cjs", text: asCommonJs(marks, "user-server-in-workspace"), isProgram: false });
  planted.push({ path: "evil-server.cjs", text: asCommonJs(marks, "project-server"), isProgram: false });
  return planted;
}

/** A configuration of git that runs programs of the workspace. */
export function hostileGitConfig(work: string): string {
  return [
    "[core]",
    "\trepositoryformatversion = 0",
    "\tbare = false",
    `\tfsmonitor = ${work}/monitor.sh`,
    `\thooksPath = ${work}/.git/hooks`,
    `\tpager = ${work}/differ.sh`,
    "[diff]",
    `\texternal = ${work}/differ.sh`,
    "[alias]",
    `\tst = !${work}/differ.sh`,
    "",
  ].join("\n");
}

/** The text that a call writes over a script, which marks that a changed script ran. */
export function markingScript(path: string, marks: string): string {
  if (path.endsWith(".cjs")) return asCommonJs(marks, "changed-script");
  if (/\.m?js$/.test(path)) return asModule(marks, "changed-script");
  return asShell(marks, "changed-script");
}
