import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CheckedLink, checkVault } from "./check-vault.ts";

const VAULT: Readonly<Record<string, string>> = {
  "Home.md": [
    '---\nup: "[[Index]]"\nrelated:\n  - "[[Ideas|later]]"\nloose: see [[Index]]\nbare: [[Index]]\naliases: [Start]\n---',
    "[[Ideas]] [[ideas#Plan|shown]] [[Ideas#^b1]] [[Ideas.md]] [[Projects/Ideas]] [[#Here]]",
    "![[photo.png]] ![[photo.png|100]] [[photo]] [[Missing]] [[Start]] [A title](Ideas.md)",
    "`[[Code]]` %% [[Index]] %% <!-- [[Hidden]] --> $[[Math]]$ \\[[Escaped]]",
    "\n| a | b |\n|---|---|\n| [[Ideas\\|x]] | [[Ideas|y]] |\n",
    "```\n[[Fenced]]\n```\n\n    [[Indented]]\n\n<div>[[Html]]</div>\n",
    "[[/Index]] [[./Index]] [[Cafe\u0301]]",
  ].join("\n"),
  "Index.md": "---\ntitle: A title\n---\n[[A title]] [[Twin]] [[Deep/Twin]]",
  "Projects/Ideas.md": "# Plan\n\n[[Twin]] [[../Index]] [[./Log]] [[Log]] [[../Projects/Log]]\n\ntext ^b1",
  "Projects/Log.md": "",
  "Projects/Twin.md": "[[Index]]",
  "Archive/Deep/Twin.md": "[[Log]]",
  "Ideas.md": "",
  "Café.md": "",
  "attachments/photo.png": "not really",
  "attachments/Log.txt": "[[Index]]",
  ".obsidian/Hidden.md": "[[Index]]",
  ".trash/Gone.md": "[[Index]]",
  "Projects/.hidden.md": "[[Index]]",
  "UPPER.MD": "[[home]]",
  "Odd.md": [
    "[[]] [[ ]] [[Log",
    "]] [[[Index] x]] [[Year [2020]]] [[a [[Index]] b]] [[Index\\|plain]] ~~[[Index]]~~ **![[Index]]**",
    "> [!note] [[Index]]\n> [[Index#A#B]] x^[[[Index]]] [^1]\n\n[^1]: [[Index]]",
    "- [ ] [[v1.2]] [[v1.2.md]] [[Map.canvas]] ![[Map.canvas]] [[LOG.TXT]] [[Index.png]] [[Projects/]]",
    "%%\n[[Index]]\n%%\n",
    "<b>[[Index]]</b> <img alt='[[Index]]'> `x` [[Index|a `b`]]",
    "[[Projects%2FIdeas]] [[Index&amp;]] [[ Index ]] [[Index#]] [[#^b]] [[Index\u00a0]]",
    "1. x\n   ```\n   [[Index]]\n   ```\n\t[[Index]]",
    "",
    "$$\n[[Index]]\n$$\n\nbefore $[[Index]]$ costs $5 [[Index]] $6",
    "",
    "$$ [[Index]]",
    "[[Index]]",
  ].join("\n"),
  "v1.2.md": "",
  "Map.canvas": '{"nodes":[{"type":"text","text":"[[Index]]"}]}',
};

const EXPECTED: readonly (readonly [from: string, raw: string, to: string | null, reason?: string])[] = [
  ["Archive/Deep/Twin.md", "Log", "Projects/Log.md"],
  ["Home.md", "Index", "Index.md"],
  ["Home.md", "Ideas|later", "Ideas.md"],
  ["Home.md", "Ideas", "Ideas.md"],
  ["Home.md", "ideas#Plan|shown", "Ideas.md"],
  ["Home.md", "Ideas#^b1", "Ideas.md"],
  ["Home.md", "Ideas.md", "Ideas.md"],
  ["Home.md", "Projects/Ideas", "Projects/Ideas.md"],
  ["Home.md", "#Here", "Home.md"],
  ["Home.md", "!photo.png", "attachments/photo.png"],
  ["Home.md", "!photo.png|100", "attachments/photo.png"],
  ["Home.md", "photo", null, "not_found"],
  ["Home.md", "Missing", null, "not_found"],
  ["Home.md", "Start", null, "not_found"],
  ["Home.md", "Index", "Index.md"],
  ["Home.md", "Ideas\\|x", "Ideas.md"],
  ["Home.md", "/Index", "Index.md"],
  ["Home.md", "./Index", "Index.md"],
  ["Home.md", "Cafe\u0301", "Café.md"],
  ["Index.md", "A title", null, "not_found"],
  ["Index.md", "Twin", "Projects/Twin.md", "ambiguous"],
  ["Index.md", "Deep/Twin", "Archive/Deep/Twin.md"],
  ["Odd.md", "[Index] x", null, "not_found"],
  ["Odd.md", "Year [2020", null, "not_found"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "Index\\|plain", "Index.md"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "!Index", "Index.md"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "Index#A#B", "Index.md"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "v1.2", "v1.2.md"],
  ["Odd.md", "v1.2.md", "v1.2.md"],
  ["Odd.md", "Map.canvas", "Map.canvas"],
  ["Odd.md", "!Map.canvas", "Map.canvas"],
  ["Odd.md", "LOG.TXT", "attachments/Log.txt"],
  ["Odd.md", "Index.png", null, "not_found"],
  ["Odd.md", "Projects/", null, "not_found"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "Index|a `b`", "Index.md"],
  ["Odd.md", "Projects%2FIdeas", null, "not_found"],
  ["Odd.md", "Index&amp;", null, "not_found"],
  ["Odd.md", " Index ", "Index.md"],
  ["Odd.md", "Index#", "Index.md"],
  ["Odd.md", "#^b", "Odd.md"],
  ["Odd.md", "Index\u00a0", "Index.md"],
  ["Odd.md", "Index", "Index.md"],
  ["Odd.md", "Index", "Index.md"],
  ["Projects/Ideas.md", "Twin", "Projects/Twin.md", "ambiguous"],
  ["Projects/Ideas.md", "../Index", "Index.md"],
  ["Projects/Ideas.md", "./Log", "Projects/Log.md"],
  ["Projects/Ideas.md", "Log", "Projects/Log.md"],
  ["Projects/Ideas.md", "../Projects/Log", "Projects/Log.md"],
  ["Projects/Twin.md", "Index", "Index.md"],
  ["UPPER.MD", "home", "Home.md"],
];

let root: string;

async function collect(links: AsyncIterable<CheckedLink>): Promise<CheckedLink[]> {
  const all: CheckedLink[] = [];
  for await (const link of links) all.push(link);
  return all;
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ikigai-vault-"));
  for (const [path, text] of Object.entries(VAULT)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
});

afterAll(() => rm(root, { recursive: true, force: true }));

test("every link of a vault is printed where it stands and with what Obsidian would open", async () => {
  const links = await collect(checkVault(root));
  const lines = links.map(({ from, raw, embed, to, reason }) => [
    from,
    embed ? `!${raw}` : raw,
    to,
    ...(reason ? [reason] : []),
  ]);
  expect(lines).toEqual(EXPECTED.map((line) => [...line]));
});

test("a line of JSON has the promised keys", async () => {
  const [first] = await collect(checkVault(root));
  expect(JSON.parse(JSON.stringify(first)) as CheckedLink).toEqual({
    from: "Archive/Deep/Twin.md",
    raw: "Log",
    embed: false,
    to: "Projects/Log.md",
  });
});

test("links of the file system are followed inside the vault and never out of it", async () => {
  const vault = await mkdtemp(join(tmpdir(), "ikigai-vault-"));
  try {
    await writeFile(join(vault, "a.md"), "[[in]] [[out]] [[dangling]]");
    await writeFile(join(vault, "real.md"), "");
    await symlink(join(vault, "real.md"), join(vault, "in.md"));
    await symlink(join(root, "Home.md"), join(vault, "out.md"));
    await symlink(join(vault, "nowhere"), join(vault, "dangling.md"));
    await symlink(vault, join(vault, "loop"));
    const links = await collect(checkVault(vault));
    expect(links.map(({ to }) => to)).toEqual(["in.md", null, null]);
  } finally {
    await rm(vault, { recursive: true, force: true });
  }
});

test("a folder that is not there, and a call that was given up, are refused", async () => {
  await expect(collect(checkVault(join(root, "none")))).rejects.toMatchObject({ code: "not_found" });
  await expect(collect(checkVault(join(root, "Home.md")))).rejects.toMatchObject({ code: "not_found" });
  const signal = AbortSignal.abort();
  await expect(collect(checkVault(root, { signal }))).rejects.toThrow("aborted");
});

test("a note that is too large or gone is told of and passed over", async () => {
  const vault = await mkdtemp(join(tmpdir(), "ikigai-vault-"));
  try {
    for (let at = 10; at < 50; at += 1) await writeFile(join(vault, `n${at}.md`), "[[n10]]");
    await truncate(join(vault, "n11.md"), 65 * 1024 * 1024);
    const warnings: string[] = [];
    const links = checkVault(vault, { warn: (message) => warnings.push(message) });
    await links.next();
    await rm(join(vault, "n49.md"));
    expect(await collect(links)).toHaveLength(37);
    expect(warnings).toEqual([
      expect.stringContaining("n11.md has 68157440 bytes"),
      expect.stringContaining("n49.md could not be read"),
    ]);
    await writeFile(join(vault, "n49.md"), "[[n10]]");
    await rm(join(vault, "n11.md"));
    const silent = checkVault(vault);
    await silent.next();
    await rm(join(vault, "n49.md"));
    expect(await collect(silent)).toHaveLength(37);
  } finally {
    await rm(vault, { recursive: true, force: true });
  }
});
