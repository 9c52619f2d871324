import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse, sep } from "node:path";

/**
 * Why a folder that nobody chose is not served as a workspace, in one sentence. Absent: it is.
 *
 * Clients without a project start their servers in the root of the disk or in the home folder. Neither is a project, and
 * both hold what no model should find by chance, as does every folder between them.
 */
export function whyNoWorkspace(root: string, home: string = homedir()): string | undefined {
  const real = realpathSync(root);
  const what = real === parse(real).root ? "the root of the disk" : toHome(real, home);
  if (what === undefined) return undefined;
  return `${root} is ${what} and no workspace, so only memory is served; work in a project, or choose a folder with --root`;
}

/** What `real` is to the home folder. Contract: `undefined` for what lies in it or beside it. */
function toHome(real: string, home: string): string | undefined {
  try {
    const there = realpathSync(home);
    if (real === there) return "your home folder";
    return there.startsWith(real + sep) ? "a folder that holds your home folder" : undefined;
  } catch {
    return undefined;
  }
}
