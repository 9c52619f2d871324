import { lstatSync, readFileSync } from "node:fs";
import { GITIGNORE, type IgnoreRules, MAX_GITIGNORE_BYTES } from "../list/ignore-rules.ts";
import { join } from "../place/walk.ts";

/** Which paths of a tree may be watched, asked path by path and without waiting. */
export interface Visibility {
  /** Contract: also false for everything inside a hidden folder. */
  shows(path: string, kind: "file" | "directory"): boolean;
}

export function createVisibility(realPath: string, base: IgnoreRules, gitignore: boolean): Visibility {
  const inside = new Map<string, IgnoreRules | undefined>();

  /** The rules inside a folder; absent when it is hidden. */
  function rulesIn(folder: string): IgnoreRules | undefined {
    if (inside.has(folder)) return inside.get(folder);
    const above = folder === "" ? base : rulesIn(folderOf(folder));
    const open = above !== undefined && (folder === "" || !above.hides(folder, "directory"));
    const text = open && gitignore ? gitignoreOf(join(realPath, folder)) : undefined;
    const rules = text === undefined ? (open ? above : undefined) : above?.extend(folder, text);
    inside.set(folder, rules);
    return rules;
  }

  return { shows: (path, kind) => path === "" || rulesIn(folderOf(path))?.hides(path, kind) === false };
}

function gitignoreOf(folder: string): string | undefined {
  const path = `${folder}/${GITIGNORE}`;
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size <= MAX_GITIGNORE_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
