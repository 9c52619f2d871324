import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";

/**
 * Why a folder that nobody chose is not served as a workspace, in one sentence. Absent: it is.
 *
 * Clients without a project start their servers in the root of the disk or in the home folder. Neither is a project, and
 * both hold what no model should find by chance.
 */
export function whyNoWorkspace(root: string, home: string = homedir()): string | undefined {
  const real = realpathSync(root);
  const what = real === parse(real).root ? "the root of the disk" : isHome(real, home) ? "your home folder" : undefined;
  if (what === undefined) return undefined;
  return `${root} is ${what} and no workspace, so only memory is served; work in a project, or choose a folder with --root`;
}

function isHome(real: string, home: string): boolean {
  try {
    return real === realpathSync(home);
  } catch {
    return false;
  }
}
