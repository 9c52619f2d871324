import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPolicy } from "@ikigai/core/host";
import { commandGrant, commandOpinion } from "./command-rules.ts";
import { parseCommand } from "./parse-command.ts";

const RULES = ["echo", "git", "find", "rg", "sed", "sort", "cat", "ls", "grep", "npm test", "make *"];

const HOSTILE: readonly string[] = [
  // chaining
  "echo hi; rm -rf x",
  "echo hi && rm -rf x",
  "echo hi || rm -rf x",
  "echo hi | sh",
  "echo hi & rm -rf x",
  "echo hi\nrm -rf x",
  "echo hi\r\nrm -rf x",
  "echo hi |& sh",
  "(echo hi; rm x)",
  "{ echo hi; rm x; }",
  "! echo hi",
  "if echo hi; then rm x; fi",
  // substitution and expansion
  "echo $(rm -rf x)",
  "echo `rm -rf x`",
  'echo "$(rm -rf x)"',
  'echo "`rm -rf x`"',
  "echo <(rm x)",
  "echo >(rm x)",
  "echo ${IFS}x",
  "cat$IFS/etc/passwd",
  "cat${IFS}/etc/passwd",
  "echo $'\\x41'",
  "echo $HOME",
  "echo $((1+1))",
  "echo {a,b}",
  "cat *",
  "cat ?",
  "cat [a-z]",
  "cat ~/.ssh/id_rsa",
  "echo hi #",
  // redirection
  "echo hi > ~/.bashrc",
  "echo hi >> .git/config",
  "cat < /etc/passwd",
  "cat <<EOF",
  "cat <<< x",
  "echo hi 2>x",
  "echo hi &>x",
  // another program in front
  "bash -c 'echo hi'",
  "sh -c 'echo hi'",
  "env echo hi",
  "env FOO=1 git status",
  "FOO=1 git status",
  "GIT_EXTERNAL_DIFF=x git diff",
  "xargs echo",
  "sudo cat x",
  "nohup echo hi",
  "timeout 5 echo hi",
  "command echo hi",
  "eval echo hi",
  "exec echo hi",
  "/bin/echo hi",
  "./echo hi",
  "echo\u00A0hi",
  // flags that write or run
  "find . -delete",
  "find . -exec rm {} +",
  "find . -exec rm '{}' \\;",
  "find . -execdir rm x \\;",
  "find . -ok rm x \\;",
  "find . -okdir rm x \\;",
  "find . -fprint x",
  "find . -fprintf x %p",
  "find . -fls x",
  "find . -name x -print0 -delete",
  "find / -name id_rsa",
  "find ../other",
  "git -c core.pager=x log",
  "git -c alias.x='!sh' x",
  "git --exec-path=/tmp status",
  "git -C /etc status",
  "git --git-dir=/tmp/x status",
  "git -p log",
  "git diff --output=x",
  "git diff --outp=x",
  "git diff -o x",
  "git diff --ext-diff",
  "git diff --no-index /etc/passwd x",
  "git log --output x",
  "git log -O/tmp/x",
  "git show --textconv",
  "git grep -O x",
  "git grep --open-files-in-pager=sh x",
  "git grep -nOsh x",
  "git push",
  "git commit -m x",
  "git checkout .",
  "git config --global alias.x y",
  "git branch new",
  "git branch -D main",
  "git tag v1",
  "git remote add x y",
  "git stash",
  "git stash drop",
  "git cat-file --textconv HEAD:x",
  "git ext::sh",
  "git",
  "rg --pre sh x",
  "rg --pre=sh x",
  "rg -z x",
  "rg --search-zip x",
  "rg --hostname-bin=sh x",
  "rg -e -- --pre=sh x",
  "rg x /etc",
  "rg -f/etc/passwd x",
  "rg --ignore-file=/etc/x y",
  "sed -i s/a/b/ x",
  "sed -ni 5p x",
  "sed --in-place s/a/b/ x",
  "sed 1e x",
  "sed '1e rm x' y",
  "sed s/a/b/e x",
  "sed 's/a/b/w out' x",
  "sed 'w out' x",
  "sed -n '/a/w out' x",
  "sed -e 1p x",
  "sed -f script x",
  "sed 's/[/]/x/w out' y",
  "sed -- -i x",
  "sort -o out x",
  "sort -nooutput x",
  "sort --output=out x",
  "sort --outpu=out x",
  "sort --compress-program=sh x",
  "sort -T /tmp x",
  "sort --files0-from=x",
  "wc --files0-from=x",
  "wc --f=x",
  "du --files0-from x",
  "grep -R x .",
  "grep -nR x .",
  "grep --dereference-recursive x .",
  "diff -r a b",
  "diff --recursive a b",
  "cat /etc/passwd",
  "cat ../secret",
  "cat x/../../secret",
  "ls /root",
  "grep -r x /etc",
  "grep --file=/etc/passwd x",
  "npm test -- --reporter=./evil.js",
  "npm install",
  "make; rm x",
];

test("no hostile command is allowed by a rule", () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(60);
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(HOSTILE.filter((command) => commandOpinion(RULES, command).decision === "allow")).toEqual([]);
});

test.each([
  "echo hi; rm x".split(";")[0] as string,
  "echo 'a; b' \"c | d\" /etc ../x",
  "git status",
  "git status --short -b",
  "git log --oneline -n 5 --since=yesterday",
  "git log -5 main..topic",
  "git diff --cached -- src/a.ts",
  "git diff -U3 HEAD^",
  "git show HEAD:src/a.ts",
  "git grep -n -i pattern src",
  "git branch --show-current",
  "git remote -v",
  "git stash list",
  "git rev-parse --abbrev-ref HEAD",
  "find . -name '*.ts' -mtime -7 -size -10k -type f",
  "find src \\( -name a -o -name b \\) -print0",
  "rg -n -i 'a.*b' src --glob '*.ts' -C3",
  "sed -n 1,20p src/a.ts",
  "sed -E s/a+/b/g src/a.ts",
  "sort -k2,2n -u x.txt",
  "cat -n src/a.ts",
  "ls -la src",
  "grep -rn x src",
  "npm test",
  "make all CC=gcc",
])("allows %s", (command) => {
  expect(commandOpinion(RULES, command)).toMatchObject({ decision: "allow" });
});

test.each([
  ["pwd", "pwd -P", "pwd x"],
  ["date", "date -u +%F", "date -s 12:00"],
  ["./build.sh", "./build.sh", "./build.sh --x"],
])("a rule for %s covers what it says and no more", (rule, allowed, asked) => {
  expect(commandOpinion([rule], allowed).decision).toBe("allow");
  expect(commandOpinion([rule], asked).decision).toBe("ask");
});

test("no rule opens a program that runs others", () => {
  expect(commandOpinion(["bash script.sh", "env *"], "bash script.sh").decision).toBe("ask");
  expect(commandOpinion(["bash script.sh", "env *"], "env ls").reason).toContain("env runs other programs");
});

test("the opinion on a command says which rule allowed it, and why another did not", () => {
  expect(commandOpinion(["ls", "git log"], "git log -3")).toEqual({
    decision: "allow",
    reason: 'rule "git log"',
    rule: "git log",
  });
  expect(commandOpinion(["git"], "git push").reason).toBe(
    'rule "git" does not cover it: git "push" is not known to be harmless',
  );
  expect(commandOpinion(["git"], "ls").reason).toBe("no rule names it");
  expect(commandOpinion(["git"], "git log | sh").reason).toContain("not one of plain words");
});

test.each(["", "*", "echo; rm", "git $x", "A=1"])("refuses the rule %j", (rule) => {
  expect(() => commandOpinion([rule], "ls")).toThrow("is not a command rule");
});

test("everything that is allowed is one simple command of literal words", () => {
  const piece = fc.constantFrom(
    ...RULES,
    ...HOSTILE.flatMap((command) => command.split(" ")),
    ..."; | & \n $ ` ( ) < > ' \" \\ * ~ # = - -- ..".split(" "),
  );
  const glue = fc.constantFrom(" ", " ", "", "\t");
  const commands = fc.array(fc.tuple(piece, glue), { maxLength: 8 }).map((parts) => parts.flat().join(""));
  fc.assert(
    fc.property(commands, (command) => {
      if (commandOpinion(RULES, command).decision === "ask") return;
      const parsed = parseCommand(command);
      expect(parsed.understood).toBe(true);
      expect(command).not.toMatch(/[\n\r\0]/);
    }),
    { numRuns: 3_000 },
  );
});

test("a command rule as a grant answers only what bash asks to execute", async () => {
  const policy = createPolicy({ grants: () => [commandGrant(RULES)] });
  const facts = { tool: "bash", agent: "a", conversation: "c" };
  const judge = async (action: "execute" | "update", target: string, tool = "bash") =>
    (await policy.judge({ action, target }, { ...facts, tool })).decision;
  expect(await judge("execute", "git status")).toBe("allow");
  expect(await judge("execute", "git push")).toBe("ask");
  expect(await judge("update", "git status")).toBe("ask");
  expect(await judge("execute", "git status", "other")).toBe("ask");
});
