import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

async function explain(command: string, cwd?: string): Promise<string> {
  const input = JSON.stringify({ command, ...(cwd !== undefined && { cwd }) });
  const { out } = await workspace.run(["--approve", "all", "permission", "explain", "bash", input, "--json"]);
  const { verdicts } = JSON.parse(out) as { verdicts: { decision: string; needs: string; person?: string }[] };
  const [{ decision, needs, person } = { decision: "", needs: "" }] = verdicts;
  return decision === "ask" ? `${decision} ${person ?? needs}` : decision;
}

test.each([
  ["echo x > .git/config", "ask person"],
  ["echo x >> .env", "ask person"],
  ["rm -rf .git", "ask person"],
  ["cp key .ssh/authorized_keys", "ask person"],
  ["cat a | tee .bashrc", "ask person"],
  ["bash -c 'echo x > .git/hooks/pre-commit'", "ask person"],
  [`echo x >> ${homedir()}/.bashrc`, "ask person"],
  ["echo x >> ~/.profile", "ask person"],
  ["echo x > locked/a.txt", "deny"],
  ["echo x > theirs/a.txt", "ask partner"],
  ["echo x > link/a.txt", "ask person"],
  ["cat .env", "allow"],
  ["cp locked/a.txt b.txt", "allow"],
  ["echo x > src/a.txt 2>/dev/null", "allow"],
])("with everything approved, %s is %s", async (command, decision) => {
  const rules = [
    { glob: "locked/**", permission: "read_only" },
    { glob: "theirs/**", permission: "partner" },
  ];
  await mkdir(join(workspace.root, ".git"));
  await symlink(".git", join(workspace.root, "link"));
  await mkdir(join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai"), { recursive: true });
  await writeFile(
    join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai", "ikigai.config.json"),
    JSON.stringify({ rules }),
  );
  expect(await explain(command)).toBe(decision);
});

test("a command in a protected folder is asked for because of the folder", async () => {
  await mkdir(join(workspace.root, ".git"));
  const input = JSON.stringify({ command: "echo a; exit 7", cwd: ".git" });
  const { out } = await workspace.run(["--approve", "all", "permission", "explain", "bash", input]);
  expect(out).toContain('the command runs in ".git": .git is always asked for');
  expect(out).not.toContain('names "exit"');
});

test("a path is taken from the folder that the command runs in", async () => {
  await mkdir(join(workspace.root, "it's/.git"), { recursive: true });
  expect(await explain("echo x > config", "it's/.git")).toBe("ask person");
  expect(await explain("echo x > config", "it's")).toBe("allow");
});

const NOT_UNDERSTOOD = [
  'for f in *.md; do echo "$f"; done',
  "if test -f a; then cat a; fi",
  "while read -r line; do echo $line; done < a.txt",
  "until false; do sleep 1; done",
  "case $x in a) ls ;; esac",
  "time make",
  "f() { ls; }; f",
  "function g { ls; }; g",
  "{ ls; }",
  "! ls",
  "[[ -f a ]]",
  String.raw`sed -i 's/a\.b/c/' a.txt`,
  "node -e 'a\nb\\c'",
  `python3 -c '${"x".repeat(9_000)}'`,
  "block:///x y",
  "echo 'not closed",
  "ls )",
];

test("a command that is not understood is asked for in modes ask and edits, allowed in all, and denied in none", async () => {
  for (const [mode, expected] of [
    ["ask", "ask"],
    ["edits", "ask"],
    ["all", "allow"],
    ["none", "deny"],
  ] as const) {
    for (const command of NOT_UNDERSTOOD) {
      const input = JSON.stringify({ command });
      const { out } = await workspace.run(["--approve", mode, "permission", "explain", "bash", input, "--json"]);
      expect([mode, command, out]).toEqual([
        mode,
        command,
        expect.stringContaining(`"decision":"${expected}","needs"`),
      ]);
      expect(out).not.toMatch(/layer failed/);
    }
  }
}, 60_000);

test("a redirection into a place that cannot be judged needs a person", async () => {
  expect(await explain(String.raw`echo x > 'a\b'`)).toBe("ask person");
  expect(await explain("for f in a; do echo x > .git/$f; done")).toBe("ask person");
});
