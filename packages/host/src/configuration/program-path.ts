import { existsSync } from "node:fs";
import { delimiter, join, relative, sep } from "node:path";

/**
 * What a person types to run this program again.
 *
 * Contract: `ikigai` where their shell finds it, else a path that can be pasted. npm puts the programs of a clone on the path of
 * what it starts only, so what is found there does not count then.
 */
export function programPath(
  started: string | undefined = process.argv[1],
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): string {
  const places = env["npm_lifecycle_event"] === undefined ? (env["PATH"] ?? "").split(delimiter) : [];
  if (
    started === undefined ||
    started === "" ||
    places.some((place) => place !== "" && existsSync(join(place, "ikigai")))
  )
    return "ikigai";
  const near = relative(folder, started);
  const path = near === "" || near.startsWith("..") ? started : near.includes(sep) ? near : `.${sep}${near}`;
  return /^[\w@%+=:,./\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
