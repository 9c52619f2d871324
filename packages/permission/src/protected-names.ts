import { removeHidden } from "@ikigai/core/host";

/** Files that another program runs or obeys: whoever may write one may do anything. Lower case. */
const NAMES: ReadonlySet<string> = new Set(
  `ikigai.config.json .mcp.json .env .envrc .npmrc .pnpmfile.cjs .yarnrc .yarnrc.yml .gitconfig .gitmodules
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .inputrc .zshrc .zshenv .zprofile
  .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession .xsessionrc .pam_environment
  .gdbinit .lldbinit .vimrc .gvimrc .nvimrc .nvim.lua .exrc .emacs .emacs.el .dir-locals.el .dir-locals-2.el .screenrc
  .tmux.conf .wezterm.lua .rhosts .netrc .curlrc .wgetrc .mailcap .lessfilter .direnvrc .hgrc .pdbrc .pythonrc .pythonrc.py
  sitecustomize.py usercustomize.py .pypirc .condarc .irbrc .pryrc .gemrc .rprofile .renviron .ghci .ocamlinit .sbclrc .octaverc
  .psqlrc .sqliterc .my.cnf .bazelrc .terraformrc mise.toml .mise.toml mise.local.toml .mise.local.toml
  lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml .pre-commit-config.yaml .gitlab-ci.yml
  .claude.json claude_desktop_config.json opencode.json opencode.jsonc .aider.conf.yml
  config.fish authorized_keys`.split(/\s+/),
);

/** Folders whose content is run or obeyed by other programs, wherever they lie. Lower case. */
const FOLDERS: ReadonlySet<string> = new Set(
  `.ikigai .git .hg .jj .husky .githooks .lefthook .ssh .gnupg .vscode .idea .zed .fleet .cursor .claude .codex .gemini
  .opencode .kiro .windsurf .roo .cline .continue .amazonq .qwen .crush .github .circleci .buildkite .devcontainer
  .vim .emacs.d .mise .bundle .docker .kube .aws .azure
  .bashrc.d .bash_completion.d .bash_profile.d .profile.d .zshrc.d .zsh.d .oh-my-zsh .direnv .cargo`.split(/\s+/),
);

/** Folders that are obeyed below certain others: where shells, sessions, services and git look when they start. */
const NESTED: readonly (readonly string[])[] = `.config/fish .config/systemd .config/autostart .config/autostart-scripts
  .config/environment.d .config/nvim .config/vim .config/emacs .config/tmux .config/wezterm .config/kitty .config/mise
  .config/pip .config/containers .config/gdb .config/i3 .config/sway .config/hypr .config/opencode .config/zed .config/code
  .config/git .config/direnv .config/zsh .config/nushell .config/powershell
  .config/plasma-workspace .config/ikigai .local/share/systemd .local/share/fish .local/share/applications
  .local/share/dbus-1 .local/bin fish/conf.d fish/functions library/launchagents`
  .split(/\s+/)
  .map((path) => path.split("/"));

/**
 * The part of a path that other programs obey, folded as the most tolerant file system would. Absent: none.
 *
 * `above` is the folder that the path is relative to, when it is known: in `~/.config` the path `autostart/x` is obeyed.
 * What only `above` holds does not count, since whoever works in such a folder chose it.
 */
export function protectedName(path: string, above: string = ""): string | undefined {
  const segments = path.split("/").map(fold);
  const folder = segments.find((segment) => FOLDERS.has(segment));
  if (folder !== undefined) return folder;
  const outer = above.split("/").filter(Boolean).map(fold);
  const nested = NESTED.find((names) => holds([...outer, ...segments], names, outer.length));
  if (nested !== undefined) return nested.join("/");
  const name = segments.at(-1) as string;
  return NAMES.has(name) || name.startsWith(".env.") || name.endsWith(".code-workspace") ? name : undefined;
}

/** Whether `names` stand side by side and end at `from` or behind it. */
function holds(segments: readonly string[], names: readonly string[], from: number): boolean {
  return segments.some(
    (_, at) => at + names.length > from && names.every((name, index) => segments[at + index] === name),
  );
}

/** A segment as file systems may take it that drop what cannot be seen, so that ".g\u200cit" is ".git" there. */
function fold(segment: string): string {
  return removeHidden(segment.normalize("NFKC"))
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
