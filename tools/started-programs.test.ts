import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Every place that starts another program, and what tells which one: this very Node, a program of the system, one that
 * was looked for outside the workspace, or one that came with our own package. A bare name would be looked for in PATH,
 * where a folder of somebody else's may stand first. A new place belongs here with the reason why its program is safe.
 */
const STARTERS: Readonly<Record<string, readonly string[]>> = {
  "apps/cli/src/terminal/edit-text.ts": ["program"],
  "packages/host/src/plugins/probe.ts": ["file"],
  "packages/database/src/client/keeper-client.ts": ["process.execPath"],
  "packages/database/src/client/stopped-keeper.ts": ['systemProgram("ps")'],
  "packages/database/src/keeper/machine.ts": ['systemProgram("ps")'],
  "packages/permission/src/command-hooks.ts": ["file"],
  "packages/shell/src/command/harmless-command.ts": ["git"],
  "packages/core/src/process/process-table.ts": ['systemProgram("ps")'],
  "packages/shell/src/search/ripgrep.ts": ["ripgrepPath()"],
  "packages/shell/src/run/run-command.ts": ["file", 'systemProgram("mkfifo")'],
  "packages/shell/src/run/watchdog.ts": ["process.execPath"],
  "packages/source-git/src/run-git.ts": ["program"],
};

function sources(): readonly string[] {
  return ["packages", "apps"].flatMap((group) =>
    readdirSync(join(ROOT, group)).flatMap((name) =>
      ["src", "bin"].flatMap((part) => {
        const folder = join(group, name, part);
        return filesBelow(folder).filter((file) => /\.[cm]?[jt]s$/.test(file) && !/\.test\.ts$|\/testing\//.test(file));
      }),
    ),
  );
}

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true }).map((file) => join(folder, String(file)));
  } catch {
    return [];
  }
}

/** The first argument of every call that starts a program, as it is written. */
function startedIn(text: string): readonly string[] {
  const imported = [...text.matchAll(/import \{([^}]*)\} from "(?:node:)?child_process"/g)]
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
  const wrapped = [...text.matchAll(/const (\w+) = promisify\((\w+)\)/g)].flatMap(([, alias = "", name = ""]) =>
    imported.includes(name) ? [alias] : [],
  );
  const names = [...imported, ...wrapped].join("|");
  const calls = new RegExp(`(?<![\\w.])(?:${names})\\(\\s*((?:[^,()]|\\([^()]*\\))+)`, "g");
  return names === "" ? [] : [...new Set([...text.matchAll(calls)].map(([, first = ""]) => first.trim()))].toSorted();
}

test("every program is started by a path that the workspace cannot choose, and never through a shell", () => {
  const found: Record<string, readonly string[]> = {};
  for (const file of sources()) {
    const text = readFileSync(join(ROOT, file), "utf8");
    if (!/child_process|cross-spawn|\bexeca\b/.test(text)) continue;
    expect(text, file).not.toMatch(/\bexec(Sync)?\(\s*["'`]|shell: true|import \* as \w+ from "(node:)?child_process"/);
    const started = startedIn(text);
    if (started.length > 0) found[file] = started;
  }
  expect(found).toEqual(STARTERS);
});

test("a program that is started by its bare name is noticed", () => {
  const text = `import { spawn, execFile } from "node:child_process";
    const run = promisify(execFile);
    spawn("git", []); await run( "mkfifo", []); spawn(found(here), []);`;
  expect(startedIn(text)).toEqual(['"git"', '"mkfifo"', "found(here)"]);
});
