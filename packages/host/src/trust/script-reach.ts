import { builtinModules } from "node:module";

/** What a script brings into play besides itself, as far as its text tells. */
export interface ScriptReach {
  /** Modules it names in so many words. */
  readonly modules: readonly string[];
  /** Why the text does not tell everything. Absent: nothing else can run. */
  readonly unknown?: string;
  /** Whether it asks where it lies itself, so that it cannot be run from a copy. */
  readonly asksWhere: boolean;
}

const MODULE =
  /\b(?:(?:import|export)\s[^"'`;()]*?\bfrom\s*|import\s*)(["'])([^"'\n]+)\1|\b(?:import|require)\s*\(\s*(["'])([^"'\n]+)\3\s*\)/g;
/** Modules that load or start code by other means than an import. */
const STARTERS: ReadonlySet<string> = new Set(
  "child_process cluster worker_threads vm module repl inspector inspector/promises wasi test sqlite".split(" "),
);
const BUILT_IN: ReadonlySet<string> = new Set(builtinModules);
const LOADS_CODE =
  /\bimport\s*\(|\brequire\s*[(.[,;)]|\beval\b|\bFunction\s*\(|\bcreateRequire\b|\bgetBuiltinModule\b|\bdlopen\b|\bmainModule\b|\bWorker\b|\bWebAssembly\b/;
const ASKS_WHERE =
  /\b__dirname\b|\b__filename\b|\bimport\s*\.\s*meta\b|\bargv\b(?!\s*\[\s*[2-9]|\s*\.\s*slice\(\s*2\s*\))|\brequire\s*\.\s*main\b/;

/** Contract: `unknown` is absent only when every module is named in so many words and no code is loaded in another way. */
export function scanJavaScript(text: string): ScriptReach {
  const modules: string[] = [];
  const rest = text.replaceAll(MODULE, (_, __, first?: string, ___?: string, second?: string) => {
    modules.push(first ?? second ?? "");
    return "";
  });
  const starter = modules.find((name) => STARTERS.has(name.replace(/^node:/, "")));
  const loads = LOADS_CODE.exec(rest)?.[0];
  const unknown =
    starter !== undefined ? `it uses ${starter}` : loads === undefined ? undefined : `it uses ${loads.trim()}`;
  return {
    modules: modules.filter((name) => !name.startsWith("node:") && !BUILT_IN.has(name)),
    ...(unknown !== undefined && { unknown }),
    asksWhere: ASKS_WHERE.test(rest),
  };
}

/** Programs and words of the shell by which a script only looks, answers or decides. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(
  `[ [[ : basename break case cat continue cut date dirname do done echo elif else esac exit false fi for function grep
  head if in jq local logger printf pwd read readonly return sed set shift sleep sort tail tee test then touch tr true
  uniq wc while ! { }`.split(/\s+/),
);

/** Contract: `unknown` is absent only for a script whose every command is a plain one, by its bare name. */
export function scanShell(text: string): ScriptReach {
  const plain = text.replaceAll(/^\s*#.*$/gm, "");
  const commands = withoutQuotes(plain)
    // The patterns of case are no commands.
    .replaceAll(/(\bin|;;)\s+[\w*?|. -]+\)/g, "$1\n")
    .replaceAll(/\bcase\s+\S+\s+in\b/g, "")
    .split(/[\n;&|()`]+|\b(?:then|do|else|elif|if|while|until)\b|[{}!]\s/)
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const strange = commands.map(commandWord).find((word) => word !== undefined && !PLAIN_WORDS.has(word));
  const hides = /\$\(|`|<\(|\beval\b|\$\{[^}]*[!@]|\b(?:PATH|LD_\w+|ENV|BASH_ENV)=/.test(plain)
    ? "it runs what it computes"
    : undefined;
  const unknown = strange === undefined ? hides : `it runs ${strange.slice(0, 60)}`;
  return {
    modules: [],
    ...(unknown !== undefined && { unknown }),
    asksWhere: /\$\{?0|BASH_SOURCE/.test(plain),
  };
}

function withoutQuotes(text: string): string {
  return text
    .replaceAll(/'[^']*'/g, "Q")
    .replaceAll(/"(?:[^"\\]|\\.)*"/gs, (quoted) => (quoted.includes("$(") ? "$(Q" : "Q"));
}

/** The word that decides what a simple command runs. Contract: `undefined` for an assignment or a redirection alone. */
function commandWord(command: string): string | undefined {
  return command.split(/\s+/).find((word) => !/^[A-Za-z_]\w*=/.test(word) && !/^\d*[<>]/.test(word));
}
