import type { Random } from "./random.ts";
import { FILES, PROTECTED_FILES, type WorldPlan } from "./world-plan.ts";

/** Draws a path or an address, as a model could write it: good ones mostly, and every kind of bad one. */
export function drawPlace(random: Random, plan: WorldPlan): string {
  const kind = random.weighted({
    file: 8,
    link: 8,
    belowLink: 5,
    hardLink: 2,
    protected: 4,
    closed: 4,
    new: 5,
    asset: 6,
    script: 2,
    handbook: 2,
    shelf: 2,
    absolute: 3,
    outside: 3,
    state: 2,
    odd: 2,
  });
  return DRAW[kind](random, plan);
}

const NEW = [
  "new.txt",
  "made/by/call.md",
  "notes/New.md",
  "src/new.ts",
  "fresh.md",
  "GIT/config",
  ".GIT/config",
  ".Git/hooks/x",
  ".npmrc.",
  ".env.local",
];
const ASSETS = ["blocks/decisions.md", "blocks/style.md", "skills/ddd.md", "notes/Kept.md", "blocks/a b.md"];
const STATE = ["permissions.json", "trust.json", "mcp-tools.json", "audit.jsonl", "postgres/keeper.json"];
const SCRIPTS = [
  "hooks/trusted.cjs",
  "hook.sh",
  "evil-hook.sh",
  "server.cjs",
  "source.mjs",
  "monitor.sh",
  "bin/git",
  "node_modules/fuzz-source/index.js",
  "ikigai.config.json",
];
const ODD = [
  "",
  ".",
  "..",
  "/",
  "//",
  "a.txt/",
  "a.txt/b",
  "src//main.ts",
  "./a.txt",
  "src/../a.txt",
  "~/.bashrc",
  "file://a.txt",
  "file:///",
  "nowhere:///x",
  "a\u0000b.txt",
  "\ud800.txt",
  "pipe",
  "bin.dat",
  "src",
  "x".repeat(300),
  "a/".repeat(200),
  "C:\\a.txt",
  "file:///%2e%2e/outside/secret.txt",
  "%2e%2e/outside/secret.txt",
  "l0/../../outside/secret.txt",
  "output:///x.txt",
  "block:///x",
  "\u202ea.txt",
];

const DRAW: Readonly<Record<string, (random: Random, plan: WorldPlan) => string>> = {
  file: (random) => dressed(random, random.pick(Object.keys(FILES))),
  link: (random, { links }) => dressed(random, random.pick(links).at),
  belowLink: (random, { links }) =>
    `${random.pick(links).at}/${random.pick(["x.md", "p.md", "config", "main.ts", "secret.txt", "hooks/pre-commit", "new.txt", "Plan.md"])}`,
  hardLink: (random, { hardLinks }) => (hardLinks.length === 0 ? "a.txt" : random.pick(hardLinks).at),
  protected: (random) =>
    dressed(
      random,
      random.pick([
        ...Object.keys(PROTECTED_FILES),
        ".git/config",
        ".git/hooks/pre-commit",
        ".git/HEAD",
        ".envrc",
        "sub/.git/config",
        "ikigai.config.json",
      ]),
    ),
  closed: (random) =>
    dressed(
      random,
      random.pick([
        "locked/x.md",
        "locked/new.md",
        "people/p.md",
        "people/new.md",
        "log/app.md",
        "log/new.md",
        "src/main.ts",
        "sub/s.md",
      ]),
    ),
  new: (random) => dressed(random, random.pick(NEW)),
  asset: (random) => random.pick([`ikigai:///${random.pick(ASSETS)}`, random.pick(ASSETS)]),
  script: (random) => random.pick(SCRIPTS),
  shelf: (random) => `shelf:///${random.pick(["s.md", "new.md", "deep/new.md"])}`,
  handbook: (random) => `handbook:///${random.pick(["h.md", "closed/h.md", "out.txt", "new.md"])}`,
  absolute: (random) => `{base}/work/${random.pick([...Object.keys(FILES), ".git/config", "locked/x.md"])}`,
  outside: (random) =>
    random.pick([
      "{base}/outside/secret.txt",
      "{base}/outside/new.txt",
      "host:///{base}/outside/secret.txt",
      "../outside/secret.txt",
      "{base}/home/.bashrc",
      "{base}/home/.config/ikigai/ikigai.config.json",
      "{base}/home/.config/ikigai/hook.sh",
      "{base}/home/.config/ikigai/shelf.mjs",
      "{base}/home/.ssh/authorized_keys",
      "{base}/shelf/s.md",
      "host:///etc/hostname",
    ]),
  state: (random) =>
    random.pick([
      `{store}/${random.pick(STATE)}`,
      `state:///${random.pick(STATE)}`,
      `state/${random.pick(STATE)}`,
      ".config/ikigai/ikigai.config.json",
      ".config/ikigai/shelf.mjs",
      "conf/ikigai/ikigai.config.json",
      "conf/ikigai/new.md",
    ]),
  odd: (random) => random.pick(ODD),
};

function dressed(random: Random, path: string): string {
  return random.chance(0.15) ? `file:///${path}` : path;
}

/** Draws the name of a note, as notes are found by name too. */
export function drawNote(random: Random, plan: WorldPlan): string {
  return random.chance(0.6)
    ? random.pick([
        "Plan",
        "Ideas",
        "[[Ideas]]",
        "notes/Plan",
        "b",
        "New",
        "Kept",
        "p",
        "x",
        "app",
        "s",
        "Plan#Plan",
        "Ideas#^first",
        "l0",
        "l1",
        "ikigai:///notes/Kept",
      ])
    : drawPlace(random, plan);
}
