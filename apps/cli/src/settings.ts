import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type ApprovalMode, IkigaiError } from "@ikigai/core";
import { dataDirectory } from "./data-directory.ts";
import { configDirectory } from "./user-directory.ts";

/** What the global flags and the environment say. */
export interface Settings {
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Directory for files of our own, such as answers that were too long. */
  readonly stateDirectory: string;
  /** The server that holds the store, when it is not embedded. */
  readonly storeUrl?: string;
  /** Directory of the user's own configuration. */
  readonly configDirectory: string;
  readonly agent: string;
  readonly approve: ApprovalMode;
  readonly json: boolean;
  readonly quiet: boolean;
  /** `provider/model` of the command line or the environment, and where it is served. */
  readonly model?: string;
  readonly baseUrl?: string;
}

export interface GlobalFlags {
  readonly root?: string;
  readonly store?: string;
  readonly agent?: string;
  readonly approve?: ApprovalMode;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
}

export { APPROVAL_MODES } from "./approval-modes.ts";

const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const URL_STORE = /^postgres(ql)?:\/\//i;
const ANY_URL = /^([a-z][a-z0-9+.-]*):\/\//i;

export function resolveSettings(flags: GlobalFlags, env: NodeJS.ProcessEnv = process.env): Settings {
  const root = resolve(flags.root ?? ".");
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new IkigaiError("not_found", `The workspace ${root} is not a folder`, {
      hint: "Choose one with --root DIR.",
    });
  }
  const agent = flags.agent ?? env["IKIGAI_AGENT"] ?? "default";
  if (!AGENT_NAME.test(agent)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(agent)} cannot name an agent`, {
      hint: "Use up to 64 letters, digits, dots, dashes and underscores.",
    });
  }
  const { storeUrl, stateDirectory } = storeOf(flags, env);
  assertFolder(stateDirectory);
  return {
    root,
    stateDirectory,
    ...(storeUrl !== undefined && { storeUrl }),
    configDirectory: configDirectory(env),
    agent,
    approve: flags.approve ?? "ask",
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    ...modelSettings(flags, env),
  };
}

/**
 * The flag names a folder or a server, the variable a server only.
 *
 * Contract: an empty variable counts as none. What cannot be a store is `invalid_input`; of its text only the scheme is
 * repeated, since an address may hold a password.
 */
function storeOf(flags: GlobalFlags, env: NodeJS.ProcessEnv): Pick<Settings, "storeUrl" | "stateDirectory"> {
  const given = flags.store ?? (env["DATABASE_URL"] || undefined);
  if (given === undefined) return { stateDirectory: dataDirectory(env) };
  if (URL_STORE.test(given)) return { stateDirectory: dataDirectory(env), storeUrl: given };
  const where = flags.store === undefined ? "DATABASE_URL" : "--store";
  const scheme = ANY_URL.exec(given)?.[1];
  if (scheme !== undefined) throw notAStore(`${where} is an address of "${scheme}://", which cannot hold a store`);
  if (flags.store === undefined) throw notAStore(`${where} is not the address of a PostgreSQL server`);
  if (given === "") throw notAStore(`${where} is empty`);
  return { stateDirectory: resolve(given) };
}

function notAStore(message: string): IkigaiError {
  return new IkigaiError("invalid_input", message, {
    hint: "Write postgres://user@host/database, or choose a folder with --store DIR.",
  });
}

/** Contract: an empty variable counts as none. */
function modelSettings(flags: GlobalFlags, env: NodeJS.ProcessEnv): Pick<Settings, "model" | "baseUrl"> {
  const model = flags.model ?? (env["IKIGAI_MODEL"] || undefined);
  const baseUrl = flags.baseUrl ?? (env["IKIGAI_BASE_URL"] || undefined);
  return { ...(model !== undefined && { model }), ...(baseUrl !== undefined && { baseUrl }) };
}

/** Contract: a store that cannot be a folder is misuse, told before anything is read. */
function assertFolder(directory: string): void {
  let place = directory;
  for (;;) {
    const found = statSync(place, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return;
    if (found !== undefined) break;
    place = dirname(place);
  }
  throw new IkigaiError("invalid_input", `The store ${directory} cannot be a folder, because ${place} is a file`, {
    hint: "Choose another with --store DIR.",
  });
}
