import { createRandom, type Random } from "./random.ts";

export type Mode = "none" | "ask" | "edits" | "all";
export type Ceiling = "read_only" | "human" | "append";

/** A link in the workspace. `{base}` stands for the folder of the world. */
export interface PlannedLink {
  readonly at: string;
  readonly to: string;
}

export interface PlannedGrant {
  readonly actions: readonly string[];
  readonly pattern: string;
  readonly kind: "address" | "command";
}

/** Everything that is decided about a world before it is made. Plain JSON, given by its seed alone. */
export interface WorldPlan {
  readonly seed: number;
  readonly mode: Mode;
  readonly agent: string;
  /** Folders of the workspace that a rule of the user's configuration closes. */
  readonly rules: Readonly<Record<string, Ceiling>>;
  /** Folders of the workspace that the agent's own ceiling closes. */
  readonly ceilings: Readonly<Record<string, Ceiling>>;
  readonly grants: readonly PlannedGrant[];
  readonly links: readonly PlannedLink[];
  readonly hardLinks: readonly PlannedLink[];
  /** A second folder, mounted as `handbook`. */
  readonly handbook: "absent" | "read_only" | "open";
  /** What the user's own configuration names, relative to itself; the workspace has other programs of the same names. */
  readonly userNames: { readonly hook: boolean; readonly source: boolean; readonly server: boolean };
  /** Whether the workspace brings a configuration of its own, and whether the user trusts it. */
  readonly project: "absent" | "untrusted" | "trusted";
  /** Whether programs of the workspace are on the path before those of the system. */
  readonly isWorkspaceOnPath: boolean;
  readonly mountsHost: boolean;
  /** Whether our own state is mounted as `state`, as a folder among others. */
  readonly mountsState: boolean;
  /** Whether the user's own configuration lies inside the workspace. */
  readonly isConfigInside: boolean;
  /** Whether our own state lies inside the workspace. */
  readonly isStateInside: boolean;
  /** A project; the user's home folder, chosen as the workspace; or the home folder in which a client happens to start. */
  readonly folder: "project" | "chosen home" | "home by chance";
  /** The folders that the client says it works in, where nobody chose one. */
  readonly clientRoot: "none" | "home" | "disk";
  readonly transport: "streams" | "http";
  /** Whether the user has a plugin that keeps texts of its own, mounted as `shelf`, with tools. */
  readonly hasPlugin: boolean;
}

/** Files that every workspace has, with what they hold. */
export const FILES: Readonly<Record<string, string>> = {
  "a.txt": "one two three\n",
  "A.txt": "the twin in capitals\n",
  "b.md": "# B\n\n[[Plan]] and #work\n",
  "src/main.ts": "export const port = 8080;\n",
  "src/deep/er/f.txt": "deep\n",
  "crlf.txt": "one\r\ntwo\r\n",
  "bom.txt": "\ufeffwith a mark\n",
  "empty.txt": "",
  "notes/Plan.md": "---\ntags: [work]\nstatus: open\n---\n# Plan\n\nSee [[Ideas]].\n",
  "notes/Ideas.md": "# Ideas\n\n- ship it ^first\n",
  "notes/plan.md": "another twin\n",
  "locked/x.md": "closed\n",
  "people/p.md": "a person decides\n",
  "log/app.md": "first line\n",
  "sp ace.md": "a name with a space\n",
  "-dash.md": "a name with a dash\n",
  "\u00fcn\u00ef.md": "composed\n",
  "u\u0308ni\u0308.md": "decomposed\n",
  'quo"te.md': "a name with a quote\n",
  "new\nline.md": "a name of two lines\n",
  "#hash.md": "a name with a hash\n",
  "[brackets].md": "a name with brackets\n",
  ".hidden": "hidden\n",
};

/** Places of the workspace that need a person, as they stand there or could. */
export const PROTECTED_FILES: Readonly<Record<string, string>> = {
  ".npmrc": "save-exact=true\n",
  ".env": "TOKEN=a-secret-of-the-project\n",
  ".mcp.json": "{}\n",
  ".vscode/settings.json": "{}\n",
  ".husky/pre-commit": "#!/bin/sh\ntrue\n",
};

const ABSENT_PROTECTED = [
  ".envrc",
  ".git/hooks/post-merge",
  ".bashrc",
  ".ssh/authorized_keys",
  ".gitmodules",
  ".claude/settings.json",
];
const OUTSIDE = [
  "{base}/outside/secret.txt",
  "{base}/outside/absent.txt",
  "{base}/home/.bashrc",
  "{base}/home/.profile",
  "../outside/secret.txt",
  "../outside/new.txt",
];
const FOLDERS = [
  "src",
  "notes",
  "locked",
  "people",
  "log",
  ".git",
  ".git/hooks",
  "../outside",
  "{base}/outside",
  "{base}/home",
  "{base}/home/.config/ikigai",
  "absent-folder",
  ".",
];

export function planWorld(seed: number): WorldPlan {
  const random = createRandom(seed);
  const links = planLinks(random);
  return {
    seed,
    mode: random.weighted<Mode>({ none: 2, ask: 3, edits: 4, all: 3 }),
    agent: `agent-${seed}`,
    rules: some(random, { locked: "read_only", people: "human", log: "append" }),
    ceilings: random.chance(0.5) ? some(random, { src: "read_only", notes: "human", sub: "append" }) : {},
    grants: GRANTS.filter(() => random.chance(0.2)),
    links,
    hardLinks: HARD_LINKS.filter(() => random.chance(0.4)),
    handbook: random.pick(["absent", "read_only", "open"]),
    userNames: { hook: random.chance(0.15), source: random.chance(0.3), server: random.chance(0.25) },
    project: random.pick(["absent", "untrusted", "untrusted", "trusted"]),
    isWorkspaceOnPath: random.chance(0.4),
    mountsHost: random.chance(0.5),
    mountsState: random.chance(0.3),
    isConfigInside: random.chance(0.2),
    isStateInside: random.chance(0.15),
    folder: random.weighted<WorldPlan["folder"]>({ project: 7, "chosen home": 2, "home by chance": 1 }),
    clientRoot: random.pick(["none", "home", "disk"]),
    transport: random.weighted<WorldPlan["transport"]>({ streams: 3, http: 1 }),
    hasPlugin: random.chance(0.35),
  };
}

const GRANTS: readonly PlannedGrant[] = [
  { actions: ["execute"], pattern: "git status", kind: "command" },
  { actions: ["execute"], pattern: "git diff", kind: "command" },
  { actions: ["execute"], pattern: "cat", kind: "command" },
  { actions: ["create", "append", "update"], pattern: "file:///src/**", kind: "address" },
  { actions: ["create", "append", "update", "delete"], pattern: "file:///notes/**", kind: "address" },
  { actions: ["delete"], pattern: "file:///**", kind: "address" },
  { actions: ["execute"], pattern: "ikigai:///**", kind: "address" },
];

const HARD_LINKS: readonly PlannedLink[] = [
  { at: "hard-config.txt", to: "{base}/work/.git/config" },
  { at: "hard-locked.md", to: "{base}/work/locked/x.md" },
  { at: "hard-people.md", to: "{base}/work/people/p.md" },
  { at: "hard-outside.txt", to: "{base}/outside/secret.txt" },
  { at: "hard-bashrc.txt", to: "{base}/home/.bashrc" },
];

function planLinks(random: Random): PlannedLink[] {
  const links: PlannedLink[] = [];
  const targets = [
    ...Object.keys(FILES),
    "absent.txt",
    "src/absent.ts",
    "locked/new.md",
    "people/new.md",
    "log/new.md",
  ];
  for (let number = 0; number < 14; number++) {
    const kind = random.weighted({ inside: 3, protected: 3, outside: 3, folder: 4, chain: 3, absolute: 2, loop: 1 });
    const at = `l${number}${random.pick(["", ".md", ".txt"])}`;
    const to = {
      inside: () => random.pick(targets),
      protected: () => random.pick([...ABSENT_PROTECTED, ...Object.keys(PROTECTED_FILES), ".git/config"]),
      outside: () => random.pick(OUTSIDE),
      folder: () => random.pick(FOLDERS),
      chain: () => links.at(-1)?.at ?? "a.txt",
      absolute: () => `{base}/work/${random.pick([...targets, ...ABSENT_PROTECTED])}`,
      loop: () => at,
    }[kind]();
    links.push({
      at: random.chance(0.2) ? `src/${at}` : at,
      to: /^[^{]/.test(to) && random.chance(0.1) ? `./${to}` : to,
    });
  }
  return links;
}

function some(random: Random, all: Readonly<Record<string, Ceiling>>): Record<string, Ceiling> {
  return Object.fromEntries(Object.entries(all).filter(() => random.chance(0.7)));
}
