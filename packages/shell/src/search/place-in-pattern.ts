import { IkigaiError } from "@ikigai/core";

/** Where a search starts, and the glob that is matched from there. */
export interface StartAndPattern {
  readonly path: string;
  readonly pattern: string;
}

const ADDRESS = /^[^/]*?:\/\/\/|^\//;
const MAGIC = /[*?[\]{}!+@()]/;

/**
 * Takes the place out of a glob that names one itself: `redis:///a/**` starts at `redis:///a` with the glob `**`, and a
 * glob that is an absolute path starts at its last folder without wildcards.
 *
 * Contract: any other glob stays as it is, relative to `path`; one that names a place while `path` names one too is
 * `invalid_input`.
 */
export function placeInPattern(pattern: string, path: string | undefined): StartAndPattern {
  const root = ADDRESS.exec(pattern)?.[0];
  if (root === undefined) return { path: path ?? "", pattern };
  if (path !== undefined && path !== "") {
    throw new IkigaiError(
      "invalid_input",
      `The glob ${JSON.stringify(pattern)} names a place itself, and path is ${JSON.stringify(path)}`,
      { hint: "Leave path out, or give a glob that is relative to it." },
    );
  }
  const segments = pattern
    .slice(root.length)
    .split("/")
    .filter((segment) => segment !== "");
  const magic = segments.findIndex((segment) => MAGIC.test(segment));
  const folders = magic === -1 ? Math.max(0, segments.length - 1) : magic;
  const rest = segments.slice(folders).join("/");
  return { path: `${root}${segments.slice(0, folders).join("/")}`, pattern: rest === "" ? "**" : rest };
}
