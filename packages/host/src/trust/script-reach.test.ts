import { expect, test } from "vitest";
import { scanJavaScript, scanShell } from "./script-reach.ts";

test("every way to name a module in so many words is seen", () => {
  const text = `import x from "./a.js"; import "./b.js"; export * from './c.mjs'; import {
    y } from "d"; const { z,
    q } = require('e'); await import("./f.js"); import fs from "node:fs"; import "path";`;
  expect(scanJavaScript(text)).toEqual({
    modules: ["./a.js", "./b.js", "./c.mjs", "d", "e", "./f.js"],
    asksWhere: false,
  });
});

test.each([
  'require("./x" + "y")',
  "import(name)",
  "import(`./${name}.js`)",
  "const load = require; load('./x');",
  "new Function('x')",
  "eval(text)",
  'import { execFile } from "node:child_process";',
  'require("vm")',
  'import { createRequire } from "node:module";',
  "new Worker('./x.js')",
  "process.dlopen(m, './x.node')",
])("a script of Node that may load more than it names is not known: %s", (text) => {
  expect(scanJavaScript(text).unknown).toBeDefined();
});

test.each(["import.meta.url", "__dirname", "process.argv[1]", "require.main"])(
  "%s asks where the script lies",
  (text) => {
    expect(scanJavaScript(text).asksWhere).toBe(true);
  },
);

test.each([
  '#!/bin/sh\nread -r line\ncase "$line" in\n  *secret*) echo \'{"decision":"deny"}\' ;;\nesac\n',
  "if grep -q x; then echo y; fi",
  "for f in a b; do cat $f; done",
  "# sh evil.sh\ntrue",
  'while read -r line; do echo "$line" | tr a b >> log; done',
])("a shell script of plain commands is known: %s", (text) => {
  expect(scanShell(text)).toEqual({ modules: [], asksWhere: false });
});

test.each([
  ". ./lib.sh",
  "source lib",
  "./x.sh",
  "sh x",
  '"$(dirname "$0")"/lib.sh',
  "$CMD",
  '"$CMD"',
  "x=1 make",
  "PATH=. cat",
  "(./evil)",
  "echo `./x`",
  'echo "$(./x)"',
  "exec ./x",
  "cat <(./x)",
  "f() { ./x; }; f",
  "true && npm run x",
  "true\n./x",
])("a shell script that may run more is not known: %s", (text) => {
  expect(scanShell(text).unknown).toBeDefined();
});
