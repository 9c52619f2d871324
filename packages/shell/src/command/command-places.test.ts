import * as fc from "fast-check";
import { expect, test } from "vitest";
import { commandPlaces } from "./command-places.ts";

test.each([
  ["echo x > .git/config", [".git/config"]],
  ["echo x>.env", [".env"]],
  ["echo x >> 'my file'", ["my file"]],
  ["echo x 2> err.log 1>|out", ["err.log", "out"]],
  ["make &> all.log", ["all.log"]],
  ["make >& all.log", ["all.log"]],
  ["make 2>&1 >/dev/null 2>&-", ["/dev/null"]],
  ["cat <> .bashrc", [".bashrc"]],
  ["true; echo x > a && echo y > b | tee c", ["a", "b"]],
  ["echo $(echo x > inner) > outer", ["inner", "outer"]],
  ["echo `echo x > inner`", ["inner"]],
  ['echo "$(echo x > inner)"', ["inner"]],
  ["(echo x > sub)", ["sub"]],
  ["diff <(echo a > one) b", ["one"]],
  ["bash -c 'echo x > .git/config'", [".git/config"]],
  ["env A=1 sh -c \"sh -c 'echo > deep'\"", ["deep"]],
  ["bash <<EOF\necho x > doc\nEOF", ["doc"]],
  ["bash <<-'EOF'\n\techo x > doc\n\tEOF\necho y > after", ["doc", "after"]],
  ["bash <<< 'echo x > here'", ["here"]],
  ["cat <<EOF\necho x > text\nEOF", []],
  ["echo 'a > b' # > c", []],
  ["cat < in", []],
])("%s writes to %j", (command, written) => {
  expect(commandPlaces(command).written.toSorted()).toEqual(written.toSorted());
});

test.each([
  ["rm -rf .git", ".git"],
  ["cp x .ssh/authorized_keys", ".ssh/authorized_keys"],
  ["dd if=/dev/null of=.env", ".env"],
  ["git diff --output=.git/config", ".git/config"],
  ["sort -o.env x", ".env"],
  ["cat a | tee .bashrc", ".bashrc"],
  ["cd .git && ls", ".git"],
  ["mv x $HOME/.bashrc", "/.bashrc"],
  ["A=1 tee .npmrc", ".npmrc"],
  ["sed -i s/a/b/ .git/hooks/pre-commit", ".git/hooks/pre-commit"],
  ["rm \".git\"/'config'", ".git/config"],
  ["xargs rm < .env", ".env"],
  ["rm .g\\\nit", ".git"],
])("%s names %s", (command, named) => {
  expect(commandPlaces(command).named).toContain(named);
});

test.each([
  ["cat .env", [".env"], []],
  ["ls -la .git", ["-la", "a", ".git"], []],
  ["git diff .github/a.yml", ["diff", ".github/a.yml"], [".", "diff", ".github/a.yml"]],
  ["rg x .env | head -5", ["x", ".env", "-5"], [".", "x", ".env"]],
  ["echo .env", [], []],
  ["find . -name .git", [".", "-name", "ame", ".git"], []],
])("%s only looks, so its words are read and none is written", (command, read, searched) => {
  expect(commandPlaces(command)).toEqual({ written: [], named: [], read, searched });
});

test("any text is read without a throw, and a plain redirection is always seen", () => {
  const piece = fc.constantFrom(..."'\"`$(){}<>|&;# \n\\".split(""), "a", "<<E", "$(", "${", "bash -c ", ">");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
      commandPlaces(parts.join(""));
      expect(commandPlaces(`x > target; ${parts.join("")}`).written).toContain("target");
    }),
  );
});

const CONTROL_FLOW = [
  'for f in *.md; do echo "$f"; done',
  "for ((i = 0; i < 3; i++)); do echo $i; done",
  "if test -f a; then cat a; elif true; then ls; else pwd; fi",
  "while read -r line; do echo $line; done < a.txt",
  "until false; do sleep 1; done",
  "case $x in a) ls ;; *) pwd ;; esac",
  "select x in a b; do echo $x; done",
  "time make",
  "! grep x a",
  "{ ls; pwd; }",
  "( ls; pwd )",
  "[[ -f a ]] && ls",
  "f() { ls; }; f",
  "function g { ls; }; g",
  "coproc cat",
  `${"x".repeat(20_000)} y`,
];

test.each(CONTROL_FLOW)("%.60s is read without a throw", (command) => {
  expect(commandPlaces(command).written).toEqual([]);
});

test("redirections inside control flow are seen as places that are written", () => {
  expect(commandPlaces("for f in a b; do echo x > .git/$f; done").written).toEqual([".git/"]);
  expect(commandPlaces("if true; then rm .env; fi").named).toContain(".env");
});

test("control flow of any shape is read without a throw", () => {
  const word = fc.constantFrom(
    ..."for in do done if then elif else fi while until case esac ;; select function time coproc ! { } [[ ]] ( ) ;".split(
      " ",
    ),
    "\n",
    "ls",
    "$x",
    "'a b'",
    "> out",
    "f()",
    "&&",
    "|",
  );
  fc.assert(fc.property(fc.array(word, { maxLength: 30 }), (words) => void commandPlaces(words.join(" "))));
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => void commandPlaces(text)));
});

test.each([
  ["cd 'a'\\''b' && echo x > c", "a'b"],
  ["cd sub/one && cat c > c", "sub/one"],
  ["cd - && echo x > c", undefined],
  ["cd sub; echo x > c", undefined],
  ["cd sub || echo x > c", undefined],
  ["echo x > c", undefined],
])("a command line that goes into a folder first means its words there: %s", (command, folder) => {
  expect(commandPlaces(command)).toMatchObject({ written: ["c"], ...(folder !== undefined && { folder }) });
  expect(commandPlaces(command).folder).toBe(folder);
});
