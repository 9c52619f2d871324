import ignore, { type Ignore } from "ignore";
import { readPlace } from "../save/content.ts";
import type { Directory } from "../place/directory.ts";
import { isErrno } from "../file-errors.ts";
import type { FileOps } from "../file-ops.ts";
import { isTempFile } from "../save/temp-file.ts";

/** What is hidden in one folder and below it. */
export interface IgnoreRules {
  /** Contract: `path` is relative to the root, and none of its folders is hidden. */
  hides(path: string, kind: "file" | "directory"): boolean;
  /** The rules inside `directory`, which may bring its own `.gitignore`. */
  enter(directory: Directory): Promise<IgnoreRules>;
  /** The same from the text of a `.gitignore` that lies in the folder `base`. */
  extend(base: string, text: string): IgnoreRules;
}

export interface IgnoreOptions {
  readonly gitignore: boolean;
  readonly patterns: readonly string[];
  readonly ops: FileOps;
  readonly warn: (message: string) => void;
}

interface Layer {
  readonly base: string;
  readonly rules: Ignore;
}

export const GITIGNORE = ".gitignore";
export const MAX_GITIGNORE_BYTES: number = 1024 * 1024;
const MAX_LINE = 512;
const MAX_STARS = 6;

/** What is hidden from lists and watchers: `.git`, our own files, and what the rules say; the deepest match counts. */
export function createIgnoreRules(options: IgnoreOptions): IgnoreRules {
  if (options.patterns.length === 0) return withLayers([], options);
  const first: Layer = { base: "", rules: compile(options.patterns.join("\n"), "the option ignore", options.warn) };
  return withLayers([first], options);
}

/** Whether no list and no watcher ever shows an entry of this name. */
export function isAlwaysHidden(name: string): boolean {
  return name === ".git" || isTempFile(name);
}

function withLayers(layers: readonly Layer[], options: IgnoreOptions): IgnoreRules {
  const extend = (base: string, text: string): IgnoreRules => {
    const where = base === "" ? GITIGNORE : `${base}/${GITIGNORE}`;
    return withLayers([...layers, { base, rules: compile(text, where, options.warn) }], options);
  };
  const deepestFirst = layers.toReversed();
  const rules: IgnoreRules = {
    hides(path, kind) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (isAlwaysHidden(name)) return true;
      for (const { base, rules } of deepestFirst) {
        const relative = base === "" ? path : path.slice(base.length + 1);
        const verdict = rules.test(kind === "directory" ? `${relative}/` : relative);
        if (verdict.ignored) return true;
        if (verdict.unignored) return false;
      }
      return false;
    },
    async enter(directory) {
      if (!options.gitignore) return rules;
      const text = await readGitignore(directory, options.ops);
      return text === undefined ? rules : extend(directory.path, text);
    },
    extend,
  };
  return rules;
}

async function readGitignore(directory: Directory, ops: FileOps): Promise<string | undefined> {
  try {
    const stat = await ops.lstat(directory.at(GITIGNORE));
    if (!stat.isFile() || stat.size > MAX_GITIGNORE_BYTES) return undefined;
    const place = { directory, name: GITIGNORE, resolved: GITIGNORE, stat };
    return (await readPlace(place, ops, MAX_GITIGNORE_BYTES))?.bytes.toString("utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT", "EACCES")) return undefined;
    throw error;
  }
}

/** Lines that could keep a regular expression busy for ever are left out, and told. */
function compile(text: string, where: string, warn: (message: string) => void): Ignore {
  const lines = text.split(/\r?\n/);
  const usable = lines.filter((line) => line.length <= MAX_LINE && line.split(/\*+/).length - 1 <= MAX_STARS);
  if (usable.length < lines.length) {
    warn(`${where}: ${lines.length - usable.length} lines with more than ${MAX_STARS} stars are not used`);
  }
  return ignore({ allowRelativePaths: false }).add(usable);
}
