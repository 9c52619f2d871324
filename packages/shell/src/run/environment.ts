import { isAbsolute, relative } from "node:path";

export interface EnvironmentOptions {
  /** Environment that values are taken from. Default `process.env`. */
  readonly from?: Readonly<Record<string, string | undefined>>;
  /** Names that are passed on besides {@link DEFAULT_ENVIRONMENT}. */
  readonly pass?: readonly string[];
  /** Variables that are set whatever the host has. */
  readonly set?: Readonly<Record<string, string>>;
}

/** The variables a command gets from the host. Nothing else is passed on, so no key or token is. */
export const DEFAULT_ENVIRONMENT: readonly string[] = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TMPDIR",
  "TZ",
  "USER",
];

const FIXED: Readonly<Record<string, string>> = {
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  PAGER: "cat",
  TERM: "dumb",
};

/** The environment of a command that runs in `root`: fresh, and only what is listed. */
export function buildEnvironment(root: string, options: EnvironmentOptions = {}): Record<string, string> {
  const { from = process.env, pass = [], set = {} } = options;
  const built: Record<string, string> = {};
  for (const name of [...DEFAULT_ENVIRONMENT, ...pass]) {
    const value = from[name];
    if (value !== undefined) built[name] = value;
  }
  if (built["PATH"] !== undefined) built["PATH"] = orderPath(built["PATH"], root);
  return { ...built, ...FIXED, ...set };
}

/** A program of the workspace must not stand in for one of the system: its folders come last, relative ones go. */
function orderPath(path: string, root: string): string {
  const folders = path.split(":").filter((folder) => isAbsolute(folder));
  const isOurs = (folder: string): boolean => !relative(root, folder).startsWith("..");
  return [...folders.filter((folder) => !isOurs(folder)), ...folders.filter(isOurs)].join(":");
}
