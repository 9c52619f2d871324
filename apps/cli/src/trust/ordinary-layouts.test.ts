import { existsSync } from "node:fs";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeSharedStore, openWorkspace, type Ran } from "../testing/open-workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let base: string;
const ran = (who: string): boolean => existsSync(join(base, who));

beforeEach(async () => {
  workspace = await openWorkspace();
  base = dirname(workspace.root);
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

async function put(path: string, text: string, mode = 0o644): Promise<void> {
  const file = join(workspace.root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

const js = (who: string): string => `require("node:fs").writeFileSync(${JSON.stringify(join(base, who))}, "x");\n`;
const esm = (who: string): string =>
  `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(base, who))}, "x");\n`;
const sh = (who: string): string => `echo x > '${join(base, who)}'\n`;
const python = (who: string): string => `open(${JSON.stringify(join(base, who))}, "w").close()\n`;

const configure = (config: object): Promise<void> => put("ikigai.config.json", JSON.stringify(config));
const hook = (...command: string[]): Promise<void> => configure({ hooks: { after: [{ command }] } });
const server = (command: string, ...args: string[]): Promise<void> =>
  configure({ mcp: { servers: { s: { command, args, timeout_ms: 5_000 } } } });
const plugin = (use: string): Promise<void> => configure({ sources: [{ use, mount: "p" }] });
/** Loads every source, runs every hook and starts every server. */
const useAll = (): Promise<Ran> => workspace.run(["tool", "source", '{"op":"list"}']);

interface Layout {
  readonly what: string;
  /** Writes the layout, with code that leaves `first` behind. */
  readonly lay: () => Promise<void>;
  /** Changes what runs, so that it leaves `second` behind. */
  readonly change: () => Promise<void>;
}

const LAYOUTS: readonly Layout[] = [
  {
    what: "a hook that is one script",
    lay: () => put("hook.cjs", js("first")).then(() => hook("node", "hook.cjs")),
    change: () => put("hook.cjs", js("second")),
  },
  {
    what: 'a hook with require("./helper")',
    lay: async () => {
      await put("hook.cjs", 'require("./helper");');
      await put("helper.js", js("first"));
      await hook("node", "hook.cjs");
    },
    change: () => put("helper.js", js("second")),
  },
  {
    what: "a hook whose helper is named by an expression",
    lay: async () => {
      await put("hook.cjs", 'require("./hel" + "per.js");');
      await put("helper.js", js("first"));
      await hook("node", "hook.cjs");
    },
    change: () => put("helper.js", js("second")),
  },
  {
    what: "a hook with an import of a module that imports another",
    lay: async () => {
      await put("hook.mjs", 'import "./one.mjs";');
      await put("one.mjs", 'export * from "./two.mjs";');
      await put("two.mjs", esm("first"));
      await hook("node", "hook.mjs");
    },
    change: () => put("two.mjs", esm("second")),
  },
  {
    what: "a hook with a dependency",
    lay: async () => {
      await put("hook.cjs", 'require("dep");');
      await put("node_modules/dep/package.json", '{"name":"dep","main":"lib/i.js"}');
      await put("node_modules/dep/lib/i.js", js("first"));
      await hook("node", "hook.cjs");
    },
    change: () => put("node_modules/dep/lib/i.js", js("second")),
  },
  {
    what: "a hook that starts another script",
    lay: async () => {
      await put("hook.cjs", 'require("node:child_process").execFileSync("sh", ["other.sh"]);');
      await put("other.sh", sh("first"));
      await hook("node", "hook.cjs");
    },
    change: () => put("other.sh", sh("second")),
  },
  {
    what: "a hook with a module that is preloaded",
    lay: async () => {
      await put("pre.cjs", js("first"));
      await put("hook.cjs", "");
      await hook("node", "--require", "./pre.cjs", "hook.cjs");
    },
    change: () => put("pre.cjs", js("second")),
  },
  {
    what: "npm run as a hook",
    lay: async () => {
      await put("package.json", '{"scripts":{"check":"node scripts/check.js"}}');
      await put("scripts/check.js", js("first"));
      await hook("npm", "run", "--silent", "check");
    },
    change: () => put("scripts/check.js", js("second")),
  },
  {
    what: "make as a hook",
    lay: async () => {
      await put("Makefile", "check:\n\t@sh check.sh\n");
      await put("check.sh", sh("first"));
      await hook("make", "-s", "check");
    },
    change: () => put("check.sh", sh("second")),
  },
  {
    what: "python -m as a hook",
    lay: async () => {
      await put("checks/__main__.py", "from checks import helper\n");
      await put("checks/__init__.py", "");
      await put("checks/helper.py", python("first"));
      await hook("python3", "-m", "checks");
    },
    change: () => put("checks/helper.py", python("second")),
  },
  {
    what: "a Python script as a hook",
    lay: async () => {
      await put("hook.py", "import helper\n");
      await put("helper.py", python("first"));
      await hook("python3", "hook.py");
    },
    change: () => put("helper.py", python("second")),
  },
  {
    what: "npx as a hook",
    lay: async () => {
      await put("package.json", '{"name":"x"}');
      await put("node_modules/.bin/check", `#!/bin/sh\n${sh("first")}`, 0o755);
      await hook("npx", "--no", "check");
    },
    change: () => put("node_modules/.bin/check", `#!/bin/sh\n${sh("second")}`, 0o755),
  },
  {
    what: "sh -c as a hook",
    lay: () => put("check.sh", sh("first")).then(() => hook("sh", "-c", "sh check.sh")),
    change: () => put("check.sh", sh("second")),
  },
  {
    what: "a shell script that sources another",
    lay: async () => {
      await put("hook.sh", "#!/bin/sh\n. ./lib.sh\n", 0o755);
      await put("lib.sh", sh("first"));
      await hook("./hook.sh");
    },
    change: () => put("lib.sh", sh("second")),
  },
  {
    what: "a shell script that calls another by its folder",
    lay: async () => {
      await put("hooks/hook.sh", '#!/bin/sh\n"$(dirname "$0")"/lib.sh\n', 0o755);
      await put("hooks/lib.sh", `#!/bin/sh\n${sh("first")}`, 0o755);
      await hook("hooks/hook.sh");
    },
    change: () => put("hooks/lib.sh", `#!/bin/sh\n${sh("second")}`, 0o755),
  },
  {
    what: "a script through env",
    lay: () => put("hook.cjs", js("first")).then(() => hook("env", "A=1", "node", "hook.cjs")),
    change: () => put("hook.cjs", js("second")),
  },
  {
    what: "a server with a helper",
    lay: async () => {
      await put("server.js", 'require("./helper");');
      await put("helper.js", js("first"));
      await server("node", "server.js");
    },
    change: () => put("helper.js", js("second")),
  },
  {
    what: "a server by npm run",
    lay: async () => {
      await put("package.json", '{"scripts":{"serve":"node lib/server.js"}}');
      await put("lib/server.js", js("first"));
      await server("npm", "run", "--silent", "serve");
    },
    change: () => put("lib/server.js", js("second")),
  },
  {
    what: "a server by its folder",
    lay: async () => {
      await put("server/index.js", js("first"));
      await server("node", "server");
    },
    change: () => put("server/index.js", js("second")),
  },
  {
    what: "a plugin file that imports another",
    lay: async () => {
      await put("package.json", '{"type":"module"}');
      await put("p.js", 'import "./part.js";');
      await put("part.js", esm("first"));
      await plugin("./p.js");
    },
    change: () => put("part.js", esm("second")),
  },
  {
    what: "a plugin file that imports what it computes",
    lay: async () => {
      await put("p.mjs", 'const name = "part"; await import(`./${name}.mjs`);');
      await put("part.mjs", esm("first"));
      await plugin("./p.mjs");
    },
    change: () => put("part.mjs", esm("second")),
  },
  {
    what: "a plugin package with a dependency of a dependency",
    lay: async () => {
      await put("node_modules/p/package.json", '{"name":"p","main":"i.js","dependencies":{"q":"1"}}');
      await put("node_modules/p/i.js", 'require("q");');
      await put("node_modules/q/package.json", '{"name":"q","main":"i.js","dependencies":{"r":"1"}}');
      await put("node_modules/q/i.js", 'require("r");');
      await put("node_modules/r/package.json", '{"name":"r","main":"i.js"}');
      await put("node_modules/r/i.js", js("first"));
      await plugin("p");
    },
    change: () => put("node_modules/r/i.js", js("second")),
  },
  {
    what: "a plugin that is linked from the workspace",
    lay: async () => {
      await put("packages/p/package.json", '{"name":"p","main":"lib/i.js"}');
      await put("packages/p/lib/i.js", 'require("./part.js");');
      await put("packages/p/lib/part.js", js("first"));
      await mkdir(join(workspace.root, "node_modules"));
      await symlink(join(workspace.root, "packages/p"), join(workspace.root, "node_modules/p"));
      await plugin("p");
    },
    change: () => put("packages/p/lib/part.js", js("second")),
  },
  {
    what: "a linked plugin that reaches its neighbour",
    lay: async () => {
      await put("packages/p/package.json", '{"name":"p","main":"i.js"}');
      await put("packages/p/i.js", 'require("../shared/part.js");');
      await put("packages/shared/part.js", js("first"));
      await mkdir(join(workspace.root, "node_modules"));
      await symlink("../packages/p", join(workspace.root, "node_modules/p"));
      await plugin("p");
    },
    change: () => put("packages/shared/part.js", js("second")),
  },
];

// In 17 of 22 such layouts changed code ran unasked, because trust knew the named file and what it imports at most.
test.each(LAYOUTS)("$what: changed code does not run before it is trusted again", async ({ lay, change }) => {
  await lay();
  expect((await workspace.run(["trust", "--yes"])).code).toBe(0);
  await useAll();
  expect(ran("first")).toBe(true);
  await rm(join(base, "first"));
  await useAll();
  expect(ran("first")).toBe(true);

  await change();
  const told = await useAll();
  expect(ran("second")).toBe(false);
  expect(told.err).toContain("ikigai trust");
  expect((await workspace.run(["trust", "--yes"])).out).toBe("Trusted. A change asks again.");
  await useAll();
  expect(ran("second")).toBe(true);
});

test("trust says in so many words that a command may run anything in this folder, and an edit itself does not ask", async () => {
  await put("package.json", '{"scripts":{"check":"true"}}');
  await hook("npm", "run", "--silent", "check");
  const { err } = await workspace.run(["trust", "--yes"]);
  expect(err).toContain("May run anything in this folder: the hook npm run --silent check");
  expect(err).toContain("To trust it is to trust anything in this folder");
  const edit = await workspace.run(["--approve", "edits", "tool", "file_write", '{"path":"a.md","content":"x"}']);
  expect(edit.code).toBe(0);
  const { err: told } = await useAll();
  expect(told).toContain("it may run anything in this folder, and a.md changed since that was trusted");
  expect((await workspace.run(["trust"], { answers: ["y"] })).err).toContain("added: a.md");
  expect((await useAll()).err).not.toContain("anything in this folder");
});

test("a hook that is known whole asks nothing after edits elsewhere in the folder", async () => {
  await put(
    "hook.sh",
    '#!/bin/sh\nread -r line\ncase "$line" in\n  *secret*) echo \'{"decision":"deny"}\' ;;\nesac\n',
    0o755,
  );
  await put("check.mjs", "let text = ''; for await (const part of process.stdin) text += part; JSON.parse(text);");
  await configure({ hooks: { before: [{ command: ["./hook.sh"] }, { command: ["node", "check.mjs"] }] } });
  const { err } = await workspace.run(["trust", "--yes"]);
  expect(err).not.toContain("anything in this folder");
  await put("a.md", "x");
  expect((await useAll()).code).toBe(0);
});
