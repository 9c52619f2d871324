import { realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readSmallFile } from "@ikigai/permission";
import { resolvePlugin } from "../plugins/load-plugin.ts";
import { readPluginName } from "../plugins/plugin-name.ts";
import { packageNameOf } from "../plugins/resolve-installed.ts";
import type { CodeUnit } from "./code-unit.ts";
import { filesOf, findPackage, isInstalledCode, neededPackages } from "./installed-package.ts";
import { scanJavaScript, scanShell, type ScriptReach } from "./script-reach.ts";

/** What a unit runs, as far as it can be known without running it. */
export interface CodeReach {
  /** Files that it names or reaches, with the bytes that were looked at. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Folders of installed packages that it reaches, as real paths. */
  readonly packages: readonly string[];
  /** Why it may run anything in its folder. Absent: files and packages are all that can run. */
  readonly anything?: string;
  /** The script of its command. Absent: there is none, or it may run anything. */
  readonly script?: KnownScript;
}

/** A script whose text names everything that it runs. */
export interface KnownScript {
  /** Position of the script among the words of the command. */
  readonly at: number;
  /** Interpreter that the script's first line names, when the script itself is the program. */
  readonly interpreter?: string;
  readonly language: "node" | "shell";
  /** Whether it can be run from a copy of the files: it has no packages and does not ask where it lies. */
  readonly runsAnywhere: boolean;
}

const MAX_FILE = 4_194_304;
const MAX_FILES = 2_000;
const MAX_PACKAGES = 500;
const CODE = /\.[cm]?[jt]s$/;
type FoundScript = Omit<KnownScript, "runsAnywhere">;
const SCANS: Readonly<Record<KnownScript["language"], (text: string) => ScriptReach>> = {
  node: scanJavaScript,
  shell: scanShell,
};
/** Programs that only look at what they are given. */
const PLAIN_PROGRAMS: ReadonlySet<string> = new Set(
  "cat cut date echo false grep head jq logger printf sleep sort tail tee test touch tr true uniq wc".split(" "),
);

/** Contract: never throws; what cannot be read or resolved is no part of it now, and appears as a change when it is. */
export async function reachOf(unit: CodeUnit): Promise<CodeReach> {
  const walk = new CodeWalk();
  let script: FoundScript | undefined;
  if (unit.command !== undefined) script = await walk.addCommand(unit.command, unit);
  for (const use of unit.modules ?? []) await walk.addPlugin(use, unit.from);
  await walk.settle();
  const runsAnywhere = walk.packages.size === 0 && !walk.asksWhere;
  return {
    files: walk.files,
    packages: [...walk.packages].toSorted(),
    ...(walk.anything !== undefined && { anything: walk.anything }),
    ...(walk.anything === undefined && script !== undefined && { script: { ...script, runsAnywhere } }),
  };
}

class CodeWalk {
  readonly files = new Map<string, Buffer>();
  readonly packages = new Set<string>();
  anything: string | undefined;
  asksWhere = false;
  readonly #waiting: string[] = [];
  /** Packages that are linked from the project's own code, and those of them whose entry is not known. */
  readonly #linked = new Set<string>();
  readonly #linkedWhole = new Set<string>();

  /** Contract: the script, when it is one of the known kinds. */
  async addCommand(command: readonly string[], { from, cwd }: CodeUnit): Promise<FoundScript | undefined> {
    const [program = "", ...args] = command;
    const isPath = /[/\\]/.test(program);
    const file = isPath ? resolve(from, program) : program;
    const name = basename(program);
    if (/^node(js)?$/.test(name)) return this.#addInterpreted(args, cwd, ["-e", "--eval"], "node");
    if (/^(ba|da)?sh$/.test(name)) return this.#addInterpreted(args, cwd, ["-c"], "shell");
    if (!isPath && PLAIN_PROGRAMS.has(name)) return undefined;
    for (const word of args) await this.#addNamed(resolve(cwd, word));
    if (isPath && (await this.#addNamed(file))) {
      const text = this.files.get(realPathOf(file))?.toString("utf8") ?? "";
      const interpreter = /^#![ \t]*(?:\S*\/env[ \t]+)?(\S+)[ \t]*\r?(?:\n|$)/.exec(text)?.[1] ?? "";
      const language = /(^|\/)node$/.test(interpreter)
        ? "node"
        : /(^|\/)(ba|da)?sh$/.test(interpreter)
          ? "shell"
          : undefined;
      if (language !== undefined)
        return this.#addScript(file, text, SCANS[language]) ? { at: 0, language, interpreter } : undefined;
    }
    this.#mayRunAnything(`what ${name} runs is not known`);
    return undefined;
  }

  async #addInterpreted(
    args: readonly string[],
    cwd: string,
    inline: readonly string[],
    language: "node" | "shell",
  ): Promise<FoundScript | undefined> {
    const scan = SCANS[language];
    const [first = "", second = ""] = args;
    if (inline.includes(first)) {
      this.#addScript(join(cwd, "[inline]"), second, scan);
      return undefined;
    }
    const file = resolve(cwd, first);
    if (first === "" || first.startsWith("-") || !(await this.#addNamed(file))) {
      for (const word of args) await this.#addNamed(resolve(cwd, word));
      this.#mayRunAnything(`what ${first || "it"} means is not known`);
      return undefined;
    }
    const text = this.files.get(realPathOf(file))?.toString("utf8") ?? "";
    return this.#addScript(file, text, scan) ? { at: 1, language } : undefined;
  }

  /** Contract: whether the whole of what it runs is in its text and in the modules that are named there. */
  #addScript(file: string, text: string, scan: (text: string) => ScriptReach): boolean {
    const { modules, unknown, asksWhere } = scan(text);
    if (unknown !== undefined) this.#mayRunAnything(`${basename(file)}: ${unknown}`);
    this.asksWhere ||= asksWhere;
    for (const name of modules) this.#addModule(name, file);
    if (scan === scanJavaScript) this.#addManifest(dirname(file));
    return unknown === undefined;
  }

  /** A plugin that our own process loads. One that comes with ikigai is as trusted as ikigai. */
  async addPlugin(use: string, from: string): Promise<void> {
    let entry: string;
    try {
      entry = realPathOf(fileURLToPath(resolvePlugin(readPluginName(use, from).module, from)));
    } catch {
      return; // It is not there; loading it says so.
    }
    const isFile = use.startsWith(".") || use.startsWith("/");
    if (isFile) this.#waiting.push(entry);
    else this.#addPackage(use, from);
  }

  /** A module that the script in `file` names. */
  #addModule(name: string, file: string): void {
    if (name.startsWith("file:")) this.#addModule(pathOfUrl(name), file);
    else if (/^#|^[a-z]+:/i.test(name)) this.#mayRunAnything(`${basename(file)} names ${name}`);
    else if (!name.startsWith(".") && !name.startsWith("/")) this.#addPackage(name, dirname(file));
    else {
      const found = resolveFile(resolve(dirname(file), name));
      if (found !== undefined) this.#waiting.push(found);
      else this.#mayRunAnything(`${basename(file)} names ${name}, which is no file`);
    }
  }

  /** The package that a module in `folder` finds: an installed one as a whole, a linked one as the project's own code. */
  #addPackage(specifier: string, folder: string): void {
    const found = findPackage(packageNameOf(specifier), folder);
    if (found === undefined || this.packages.has(found)) return;
    if (isInstalledCode(found)) {
      if (this.packages.size < MAX_PACKAGES) this.packages.add(found);
      else this.#mayRunAnything(`it needs more than ${MAX_PACKAGES} packages`);
      return;
    }
    this.#linked.add(found);
    try {
      this.#waiting.push(realPathOf(createRequire(join(folder, "_.js")).resolve(specifier)));
    } catch {
      this.#linkedWhole.add(found);
    }
  }

  /** The package.json that says what kind of code the files of a folder are. */
  #addManifest(folder: string): void {
    for (let place = folder; ; place = dirname(place)) {
      const manifest = join(place, "package.json");
      if (statSync(manifest, { throwIfNoEntry: false })?.isFile() === true) return void this.#waiting.push(manifest);
      if (place === dirname(place)) return;
    }
  }

  /** Reads what is known by name, and what that names, until there is nothing more. */
  async settle(): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      const file = this.#waiting.pop();
      const folders = [...this.packages, ...this.#linked];
      const folder = file === undefined ? folders.find((one) => !seen.has(one)) : undefined;
      if (file !== undefined) await this.#settleFile(file);
      else if (folder === undefined) return;
      else {
        seen.add(folder);
        await this.#settlePackage(folder);
      }
    }
  }

  async #settleFile(file: string): Promise<void> {
    if (this.files.has(file) || !(await this.#addNamed(file)) || !CODE.test(file)) return;
    this.#addScript(file, this.files.get(realPathOf(file))?.toString("utf8") ?? "", scanJavaScript);
  }

  async #settlePackage(folder: string): Promise<void> {
    const manifest = join(folder, "package.json");
    const text = (await readSmallFile(manifest).catch(() => undefined))?.bytes.toString("utf8");
    for (const name of neededPackages(text ?? "{}")) this.#addPackage(name, folder);
    if (this.#linked.has(folder)) this.#waiting.push(manifest);
    // Which file of the folder is loaded first is not known, so it may be any of them.
    if (this.#linkedWhole.has(folder))
      for (const file of await filesOf(folder)) if (CODE.test(file)) this.#waiting.push(file);
  }

  /** Contract: whether there is such a file. */
  async #addNamed(path: string): Promise<boolean> {
    const file = realPathOf(path);
    if (this.files.has(file)) return true;
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    const read = await readSmallFile(file, MAX_FILE).catch(() => undefined);
    if (read === undefined) {
      this.#mayRunAnything(`${basename(file)} is too large to be looked at`);
      return false;
    }
    if (this.files.size >= MAX_FILES) this.#mayRunAnything(`it reaches more than ${MAX_FILES} files`);
    else this.files.set(file, read.bytes);
    return true;
  }

  #mayRunAnything(why: string): void {
    this.anything ??= why;
  }
}

/** The file that a relative name means to Node. Contract: `undefined` when there is none. */
function resolveFile(path: string): string | undefined {
  const isFile = (one: string): boolean => statSync(one, { throwIfNoEntry: false })?.isFile() === true;
  const found = ["", ".js", ".json", ".node", ".cjs", ".mjs", "/index.js", "/index.json"].map((end) => path + end);
  const file = found.find(isFile);
  return file === undefined ? undefined : realPathOf(file);
}

/** Contract: a name that is no path of this machine stays as it is. */
function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return `#${url}`;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
