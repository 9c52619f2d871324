import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IkigaiError } from "../errors.ts";

/**
 * The module that a package means by its own name, found from a file of that package.
 *
 * Contract: the address of what `exports` or `main` name for ESM; `undefined` when there is no package or no such file.
 */
export function packageModule(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest)) {
      const { exports, main } = JSON.parse(readFileSync(manifest, "utf8")) as { exports?: unknown; main?: unknown };
      const entry = entryOf(exports) ?? (typeof main === "string" ? main : "index.js");
      const target = join(folder, entry);
      return existsSync(target) ? pathToFileURL(target).href : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

const CONDITIONS = ["node", "import", "default"];

function entryOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const map = exports as Readonly<Record<string, unknown>>;
  if ("." in map) return entryOf(map["."]);
  for (const [condition, target] of Object.entries(map)) {
    const entry = CONDITIONS.includes(condition) ? entryOf(target) : undefined;
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** The file that called `inner`, from the stack. Contract: `undefined` when the stack does not say. */
export function callerOf(inner: (...args: never) => unknown): string | undefined {
  const at: { stack?: string } = {};
  Error.captureStackTrace(at, inner);
  const place = /\(?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*?):\d+:\d+\)?$/m.exec(at.stack ?? "")?.[1];
  if (place === undefined) return undefined;
  return place.startsWith("file://") ? fileURLToPath(place) : place;
}

/** What is said when a source that can write is to be opened by another process and nobody knows from where. */
export function noModule(name: string): IkigaiError {
  return new IkigaiError("invalid_input", `Source "${name}" can write, but another process does not know where it is`, {
    hint: 'Build the package first, pass module: new URL("./index.js", import.meta.url).href, or define it with storage: "process".',
  });
}
