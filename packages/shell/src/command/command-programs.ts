/**
 * What is known of a program's arguments.
 *
 * A list of what is harmless, not of what is dangerous: an option that nobody thought of, or an abbreviation of one,
 * is not in it and asks.
 */
export interface KnownProgram {
  /** Options of one letter that neither write, nor run anything, nor reach the network. */
  readonly letters?: string;
  /** Options by name, with or without a value behind `=`. */
  readonly names?: readonly string[];
  /** Whether words that are not options may follow. Default true. */
  readonly operands?: boolean;
  /** Whether arguments are only printed, so that nothing in them can be a path. */
  readonly isText?: boolean;
  /** A check of all arguments instead of the above. */
  readonly check?: (words: readonly string[]) => string | undefined;
}

/** Says why an argument is not known to be harmless, or nothing. `words` are those behind the program's name. */
export function refuseArguments(program: KnownProgram, words: readonly string[]): string | undefined {
  if (program.check !== undefined) return program.check(words);
  if (program.isText === true) return undefined;
  for (const word of words) {
    if (!word.startsWith("-") || word === "-") {
      if (program.operands === false) return `${JSON.stringify(word)} may change something`;
      // Words behind `--` are checked as well: an option before it may have taken `--` for its value.
    } else if (word !== "--" && !isKnownOption(program, word)) return unknownOption(word);
  }
  return undefined;
}

function unknownOption(word: string): string {
  return `the option ${JSON.stringify(word)} is not known to be harmless`;
}

function isKnownOption({ letters = "", names = [] }: KnownProgram, word: string): boolean {
  const name = word.split("=", 1)[0] as string;
  if (names.includes(name)) return true;
  if (word.startsWith("--")) return false;
  // A cluster such as -ni, or a number behind a letter such as -C3. A value of any other kind is not taken apart.
  return word
    .slice(1)
    .split("")
    .every((char) => letters.includes(char) || /[0-9,.]/.test(char));
}

const DIFF_NAMES = words(`--stat --shortstat --numstat --summary --name-only --name-status --cached --staged --patch
  --no-patch --unified --raw --color --no-color --word-diff --word-diff-regex --color-words --ignore-all-space
  --ignore-space-change --ignore-blank-lines --find-renames --find-copies --diff-filter --no-ext-diff --no-textconv
  --exit-code --quiet --check --minimal --patience --histogram --function-context --text --full-index --abbrev
  --no-renames --merge-base --inter-hunk-context --relative --compact-summary --dirstat --no-prefix`);
const LOG_NAMES = words(`--oneline --graph --all --branches --tags --remotes --decorate --no-decorate --format --pretty
  --since --until --after --before --author --committer --grep --max-count --skip --follow --abbrev-commit --date
  --first-parent --merges --no-merges --reverse --topo-order --date-order --left-right --cherry-pick --not
  --regexp-ignore-case --invert-grep --all-match --perl-regexp --fixed-strings --full-history --ancestry-path`);

/** Subcommands of git that only look. Options before the subcommand can redirect or run anything and are not known. */
const GIT: Readonly<Record<string, KnownProgram>> = {
  status: {
    letters: "sbuz",
    names: words("--short --branch --porcelain --untracked-files --ignored --long"),
  },
  diff: { letters: "pusbwRzMCUWaSGi", names: DIFF_NAMES },
  log: { letters: "pusbwnzMCLUWaSGiEFP", names: [...DIFF_NAMES, ...LOG_NAMES] },
  show: { letters: "pusbwzMCUWa", names: [...DIFF_NAMES, ...LOG_NAMES] },
  shortlog: { letters: "nsec", names: words("--numbered --summary --email --since --until") },
  blame: { letters: "wMCLsltnpe", names: words("--porcelain --line-porcelain --show-name --show-number --date") },
  grep: {
    letters: "aiIwvhHEGPFnlLzcoABCpWqer",
    names: words(`--cached --untracked --ignore-case --word-regexp --invert-match --extended-regexp --perl-regexp
      --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --count --heading
      --break --context --after-context --before-context --show-function --function-context --and --or --not
      --all-match --max-depth --max-count --no-color --only-matching`),
  },
  "ls-files": {
    letters: "cdmostuvzk",
    names: words(`--cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard --error-unmatch
      --full-name --eol --deduplicate`),
  },
  "ls-tree": { letters: "drtlz", names: words("--name-only --name-status --long --full-name --full-tree --abbrev") },
  "rev-parse": {
    names: words(`--show-toplevel --abbrev-ref --short --verify --quiet --git-dir --is-inside-work-tree --symbolic
      --show-prefix --show-cdup --is-bare-repository`),
  },
  "rev-list": { letters: "n", names: [...LOG_NAMES, "--count", "--objects"] },
  "merge-base": { letters: "a", names: words("--all --is-ancestor --fork-point --octopus") },
  "cat-file": { letters: "tsep" },
  describe: { names: words("--tags --all --always --long --abbrev --exact-match --contains --match") },
  branch: {
    letters: "arv",
    names: words("--all --remotes --verbose --show-current --list --no-color"),
    operands: false,
  },
  tag: { letters: "ln", names: words("--list"), operands: false },
  remote: { letters: "v", names: words("--verbose"), operands: false },
  stash: {
    check: ([first, ...rest]) => (first === "list" && rest.length === 0 ? undefined : "only `git stash list` is known"),
  },
};

/** One printed line range or one substitution; the rest of sed's language can write files and run commands. */
const SED_SCRIPT =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?[pdq=]|s([/|#,])(?:(?!\1)[^\\[\n])*\1(?:(?!\1)[^\\[\n])*\1[gpiI0-9]*)$/;

const FIND_TESTS: ReadonlySet<string> = new Set(
  words(`-P -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth
    -mindepth -size -empty -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -user -group -uid -gid
    -nouser -nogroup -perm -readable -writable -executable -links -samefile -inum -lname -ilname -print -print0 -printf
    -ls -prune -quit -depth -mount -xdev -daystart -ignore_readdir_race -noignore_readdir_race -not -and -or -a -o -true
    -false`),
);

/** Programs whose every option only looks. */
const ANY_OPTION: KnownProgram = { check: () => undefined };
/** Any option but one, also abbreviated, that reads the names of files from a file. */
const ANY_BUT_NAMES: KnownProgram = { check: (given) => refuseMatching(given, /^--f/) };
/** Any option but the one that follows every link below a folder. */
const GREP: KnownProgram = { check: (given) => refuseMatching(given, /^-[A-Za-z0-9]*R|^--der/) };

function refuseMatching(given: readonly string[], refused: RegExp): string | undefined {
  const found = given.find((word) => refused.test(word));
  return found === undefined ? undefined : unknownOption(found);
}

export const KNOWN_PROGRAMS: ReadonlyMap<string, KnownProgram> = new Map<string, KnownProgram>([
  ["echo", { isText: true }],
  ["printf", { isText: true }],
  ["true", { isText: true }],
  ["false", { isText: true }],
  ["pwd", { letters: "LP", operands: false }],
  ["whoami", { operands: false }],
  [
    "cat",
    {
      letters: "AbeEnstTuv",
      names: words("--number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank"),
    },
  ],
  ["ls", ANY_OPTION],
  ["head", ANY_OPTION],
  ["tail", ANY_OPTION],
  ["wc", ANY_BUT_NAMES],
  ["basename", ANY_OPTION],
  ["dirname", ANY_OPTION],
  ["realpath", ANY_OPTION],
  ["stat", ANY_OPTION],
  ["du", ANY_BUT_NAMES],
  ["cmp", ANY_OPTION],
  ["nl", ANY_OPTION],
  ["cut", ANY_OPTION],
  ["grep", GREP],
  ["date", { check: checkDate }],
  [
    "diff",
    {
      letters: "uUcCqbBwiNayEt",
      names: words("--unified --brief --ignore-all-space --color --side-by-side"),
    },
  ],
  [
    "sort",
    {
      letters: "bdfghiMnrRVkstucCz",
      names: words(
        "--reverse --numeric-sort --unique --key --field-separator --ignore-case --check --stable --human-numeric-sort --version-sort --general-numeric-sort",
      ),
    },
  ],
  ["find", { check: checkFind }],
  ["sed", { check: checkSed }],
  ["git", { check: checkGit }],
  [
    "rg",
    {
      letters: "niIlcwvFeEgtTABCSsoHmNxPpUu0.",
      names:
        words(`--line-number --ignore-case --files --files-with-matches --files-without-match --count --count-matches
        --word-regexp --line-regexp --invert-match --fixed-strings --regexp --glob --iglob --type --type-not --type-list
        --after-context --before-context --context --smart-case --case-sensitive --only-matching --with-filename
        --no-filename --max-count --max-depth --max-columns --no-line-number --hidden --no-ignore --no-ignore-vcs --json
        --heading --no-heading --color --multiline --multiline-dotall --pcre2 --sort --sortr --stats --trim --vimgrep
        --null --null-data --passthru --quiet --text --unrestricted --column --no-messages --no-config`),
    },
  ],
]);

/** Programs that run what their arguments say. No rule opens them. */
export const RUNNERS: ReadonlySet<string> = new Set(
  words(`sh bash dash zsh ksh fish csh tcsh ash rbash busybox toybox env xargs sudo doas su runuser pkexec nohup setsid
    nice ionice chrt taskset timeout time watch command builtin exec eval source . trap alias hash enable coproc parallel
    script stdbuf chroot unshare nsenter strace ltrace gdb ssh flock systemd-run at batch crontab proot fakeroot`),
);

function checkGit([subcommand, ...rest]: readonly string[]): string | undefined {
  const known = Object.hasOwn(GIT, subcommand ?? "") ? GIT[subcommand as string] : undefined;
  if (known === undefined) return `git ${JSON.stringify(subcommand ?? "")} is not known to be harmless`;
  return refuseArguments(known, rest);
}

function checkFind(words: readonly string[]): string | undefined {
  // Numbers such as -7 and sizes such as -10k are values.
  const unknown = words.find((word) => word.startsWith("-") && !FIND_TESTS.has(word) && !/^-\d+[a-zA-Z]?$/.test(word));
  return unknown === undefined ? undefined : unknownOption(unknown);
}

function checkSed(words: readonly string[]): string | undefined {
  let hasScript = false;
  for (const word of words) {
    if (word.startsWith("-") && word !== "-") {
      if (!/^-[nErsuz]+$/.test(word)) return unknownOption(word);
    } else if (!hasScript) {
      hasScript = true;
      if (!SED_SCRIPT.test(word)) return `the script ${JSON.stringify(word)} is not known to be harmless`;
    }
  }
  return undefined;
}

function checkDate(args: readonly string[]): string | undefined {
  const setting = args.find((word) => !word.startsWith("+") && !/^(?:-[uRI]+|--utc|--iso-8601(=\w+)?)$/.test(word));
  return setting === undefined ? undefined : `${JSON.stringify(setting)} may set the clock`;
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
