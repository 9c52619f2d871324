import type { Effect, PolicyLayer } from "@ikigai/core";

export interface ProtectedOptions {
  /** The places a target leads to, when links make them differ from what was asked for. */
  readonly resolve?: (target: string) => Promise<readonly string[]>;
  /** Folders of our own on this machine, as absolute paths. */
  readonly ownFolders?: readonly string[];
}

/** Files that another program runs or obeys: whoever may write one may do anything. Lower case. */
const NAMES: ReadonlySet<string> = new Set(
  `ikigai.config.json .mcp.json .env .envrc .npmrc .pnpmfile.cjs .gitconfig .gitmodules
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .zshrc
  .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login
  config.fish`.split(/\s+/),
);

/** Folders whose content is run or obeyed by other programs. Lower case. */
const FOLDERS: ReadonlySet<string> = new Set(
  ".ikigai .git .husky .githooks .ssh .gnupg .vscode .idea .zed .cursor .claude .codex .github".split(" "),
);

// Characters that some file systems drop or fold, so that ".g\u200cit" would be ".git" there.
const IGNORABLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * The fixed set: configuration, hooks, plugin folders and start-up files always need a person, even when absent.
 *
 * Contract: no rule, mode or grant opens them; reading them is free.
 */
export function createProtectedLayer({ resolve, ownFolders = [] }: ProtectedOptions = {}): PolicyLayer {
  const own = ownFolders.map((folder) => fold(folder.replace(/^\/+|\/+$/g, "")));
  return {
    name: "protected",
    async judge(effect) {
      if (effect.action === "read" || !effect.target.includes(":///")) return undefined;
      const partOf = (places: readonly string[]): string | undefined =>
        places.map((place) => protectedPart(place, own)).find((part) => part !== undefined);
      // By its own name first: a target that cannot be resolved is protected all the same.
      const found = partOf([effect.target]) ?? partOf((await resolve?.(effect.target)) ?? []);
      if (found === undefined) return undefined;
      return {
        decision: "ask",
        needs: "person",
        reason: `${found} is always asked for, because other programs obey it`,
      };
    },
  };
}

function protectedPart(target: Effect["target"], own: readonly string[]): string | undefined {
  const path = target.slice(target.indexOf(":///") + 4);
  const segments = path.split("/").map(fold);
  const folder = segments.slice(0, -1).find((segment) => FOLDERS.has(segment));
  const name = segments.at(-1) as string;
  if (folder !== undefined) return folder;
  if (FOLDERS.has(name) || NAMES.has(name) || name.startsWith(".env.")) return name;
  const whole = segments.join("/");
  return own.find((one) => whole === one || whole.startsWith(`${one}/`)) === undefined
    ? undefined
    : "ikigai's own folder";
}

function fold(segment: string): string {
  return segment
    .normalize("NFKC")
    .replaceAll(IGNORABLE, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
