import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Address, type AnyTool, IkigaiError } from "@ikigai/core";
import { locateUnder, WORKSPACE } from "./host-policy.ts";

/** The arguments that name a place where something new may be made, by tool. */
const CREATED: Readonly<Record<string, readonly string[]>> = {
  file: ["path"],
  file_write: ["path"],
  file_move: ["to"],
  create_note: ["name", "folder"],
  rename_note: ["new_name", "folder"],
};
const URI = new RegExp(`^${WORKSPACE}:///`, "i");
const SCHEME_WITHOUT_SLASHES = /^([a-z][a-z0-9-]{1,31}):(?!\/)(.+)$/is;

export interface MeantPlacesOptions {
  /** The folder of the workspace. */
  readonly root: string;
  /** The names of what is mounted. */
  mounts(): readonly string[];
}

/** Tells apart the paths of the workspace and the paths of the machine, where a text could be either. */
export interface MeantPlaces {
  /**
   * The file of the workspace that the URI `file:///PATH` names by its absolute path, also with percent escapes.
   *
   * Contract: undefined when PATH is no absolute path of the workspace, or only a path in it is there; `ambiguous` when
   * both are there.
   */
  locateUri(path: string): Address | undefined;
  /** The tool, which refuses to make something new at a place that was hardly meant. */
  guard(tool: AnyTool): AnyTool;
}

export function createMeantPlaces({ root, mounts }: MeantPlacesOptions): MeantPlaces {
  const locate = locateUnder(root);
  const isHere = (path: string): boolean => existsSync(join(root, path));

  function locateUri(path: string): Address | undefined {
    const [plain, decoded] = [locate(`/${path}`), locate(`/${unescaped(path)}`)];
    const isPlain = plain !== undefined && (decoded === undefined || isHere(plain.path) || !isHere(decoded.path));
    const found = isPlain ? plain : decoded;
    if (found === undefined || found.path === path || !isHere(path)) return found;
    if (isHere(found.path)) {
      const hint = `Write /${path} for the second; rename a folder on the way to the first to reach it.`;
      throw ambiguous(`${WORKSPACE}:///${path}`, path, "both are there", hint);
    }
    return undefined;
  }

  function assertMeant(text: string, isNote: boolean): void {
    if (URI.test(text) || (isNote && text.startsWith("/"))) return assertOfWorkspace(text);
    if (isHere(text)) return;
    if (text.startsWith("~/")) {
      const absolute = join(homedir(), text.slice(2));
      throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not expanded to a home folder`, {
        hint: `Write ${absolute}, or ./${text} for a folder of that name in the workspace.`,
      });
    }
    const [, mount = "", rest = ""] = SCHEME_WITHOUT_SLASHES.exec(text) ?? [];
    if (!mounts().includes(mount.toLowerCase())) return;
    throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not an address: an address has three slashes`, {
      hint: `Write ${mount.toLowerCase()}:///${rest}, or ./${text} for a file of that name in the workspace.`,
    });
  }

  /** Contract: `ambiguous` for what begins like a path of the machine and like nothing in the workspace. */
  function assertOfWorkspace(text: string): void {
    const path = text.replace(URI, "").replace(/^\/+/, "");
    const [first = ""] = path.split("/");
    if (locate(`/${path}`) !== undefined || locate(`/${unescaped(path)}`) !== undefined) return;
    if (isHere(first) || !existsSync(`/${first}`)) return;
    throw ambiguous(text, path, `the workspace has no ${first}, and this machine has /${first}`);
  }

  return {
    locateUri,
    guard(tool) {
      const fields = CREATED[tool.name];
      if (fields === undefined) return tool;
      return {
        ...tool,
        async effects(input, context) {
          for (const field of input["op"] === undefined || input["op"] === "create" ? fields : []) {
            const value: unknown = input[field];
            if (typeof value === "string") assertMeant(value, tool.name.endsWith("_note"));
          }
          return tool.effects(input, context);
        },
      };
    },
  };
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function ambiguous(
  text: string,
  path: string,
  why: string,
  hint: string = `Write ${path} for the one in the workspace, or /${path} for the one of the machine.`,
): IkigaiError {
  return new IkigaiError(
    "ambiguous",
    `${JSON.stringify(text)} could be ${path} in the workspace or /${path} of this machine: ${why}`,
    { hint, details: { candidates: [path, `/${path}`] } },
  );
}
