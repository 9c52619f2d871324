import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPty } from "./screen/testing/open-pty.ts";

/** A link, the clipboard, the title, a cleared screen, a C1 control, direction marks and a bell. */
const HOSTILE =
  "\u001b]8;;http://evil\u0007x\u001b]52;c;ZXZpbA==\u0007\u001b]0;title\u0007\u001b[2J\u009b2J\u202e\u2066\u061cend\r\b";
const NAME = `a${HOSTILE.replaceAll("/", "_")}.md`;

/** Each is a process of its own in a real terminal, on a machine that may be busy. */
const LONG = 120_000;

let base: string;
let root: string;
let flags: string[];
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-escapes-"));
  root = join(base, "root");
  mkdirSync(root);
  mkdirSync(join(base, "config", "ikigai"), { recursive: true });
  writeFileSync(join(root, NAME), `${HOSTILE}\n`);
  writeFileSync(join(root, "plain.md"), `one ${HOSTILE}\n`);
  const sources = [{ use: `./${HOSTILE}.js`, mount: "bad" }];
  writeFileSync(join(base, "config", "ikigai", "ikigai.config.json"), JSON.stringify({ sources }));
  flags = ["--root", root, "--store", join(base, "store")];
});
afterAll(async () => {
  await stopKeeper(join(base, "store", "postgres"));
  await rm(base, { recursive: true, force: true });
});

/** What a terminal gets to see of a command, with what is typed when a question comes. */
async function capture(args: readonly string[], answers: readonly (readonly [RegExp, string])[] = []): Promise<string> {
  await using pty = openPty([...flags, ...args], { env: { XDG_CONFIG_HOME: join(base, "config") } });
  for (const [question, answer] of answers) {
    await pty.see(question);
    pty.type(`${answer}\r`);
  }
  await pty.exited;
  return pty.raw;
}

// Colours and the moves of a line editor are ours. Everything else that begins with escape, and every other control, is not.
// oxlint-disable-next-line no-control-regex -- finding them is the point
const OURS = /\u001b\[(?:[\d;]*m|\d*[ABCDGJK]|\?2004[hl])|\r?\n|\r/g;
// oxlint-disable-next-line no-control-regex -- finding them is the point
const FOREIGN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function expectClean(raw: string): void {
  const left = raw.replaceAll(OURS, "");
  expect(left).not.toMatch(FOREIGN);
  expect(raw).not.toContain("\u001b[2J");
}

const write = ["tool", "file_write", JSON.stringify({ path: NAME, content: HOSTILE })];

test(
  "the prompt with its diff, and the answer, show no escape sequence",
  async () => {
    const asked = await capture([...write, "--force"], [[/Allow it\?/, "y"]]);
    expect(asked).toContain("Permission required");
    expect(asked).toContain("\\u{1b}]8;;http:");
    expectClean(asked);
  },
  LONG,
);

test(
  "a refusal shows no escape sequence",
  async () => {
    const refused = await capture(
      [...write, "--force"],
      [
        [/Allow it\?/, "r"],
        [/Why not\?/, "because"],
      ],
    );
    expect(refused).toContain("because");
    expectClean(refused);
  },
  LONG,
);

test.each([
  ["a file's content", ["tool", "file_read", '{"path":"plain.md"}']],
  ["file names", ["tool", "glob", '{"pattern":"*"}']],
  ["matches", ["tool", "grep", '{"pattern":"one|end"}']],
  ["an error", ["tool", "file_read", JSON.stringify({ path: `none${HOSTILE}` })]],
  ["an unknown tool", ["tool", HOSTILE, "{}"]],
  ["names of notes", ["tool", "list_notes", "{}"]],
  [
    "what a command prints",
    ["--approve", "all", "tool", "bash", JSON.stringify({ command: "cat plain.md; cat none" })],
  ],
  ["the audit", ["audit"]],
  ["the audit as JSON", ["audit", "--json"]],
  ["a history", ["history", NAME]],
  ["a change", ["diff", NAME]],
  ["a wrong flag", [`--${HOSTILE}`]],
  ["plugins", ["plugin", "list"]],
  ["an explanation", ["permission", "explain", "bash", JSON.stringify({ command: `echo ${HOSTILE}` })]],
])(
  "%s: no escape sequence is shown",
  async (_, args) => {
    expectClean(await capture(args));
  },
  LONG,
);
