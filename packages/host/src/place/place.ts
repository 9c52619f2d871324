import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { IkigaiError } from "@ikigai/core";
import type { ApprovalMode } from "@ikigai/core/host";
import { dataDirectory } from "./data-directory.ts";
import { configDirectory } from "./user-directory.ts";

/** Where a host works and for whom, as its user writes it. */
export interface HostPlace {
  /** The workspace. Default: the current folder. */
  readonly root?: string;
  /** A folder, or the address of a PostgreSQL server. Default: `DATABASE_URL`, else the user's data directory. */
  readonly store?: string;
  /** Name of the acting agent. Default: `IKIGAI_AGENT`, else `default`. */
  readonly agent?: string;
  /** Approval mode: what is done unasked. A function is called at each call. Default `ask`. */
  readonly mode?: ApprovalMode | (() => ApprovalMode);
  /** Directory of the user's own configuration. Default: the one of the platform. */
  readonly configDirectory?: string;
}

/** Where a host works and for whom: everything named and absolute. */
export interface Place {
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Directory for files of our own, such as answers that were too long. */
  readonly stateDirectory: string;
  /** The server that holds the store, when it is not embedded. */
  readonly storeUrl?: string;
  /** Directory of the user's own configuration. */
  readonly configDirectory: string;
  readonly agent: string;
}

const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const URL_STORE = /^postgres(ql)?:\/\//i;
const ANY_URL = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Contract: `not_found` for a workspace that is no folder; `invalid_input` for an agent or a store that cannot be one. */
export function resolvePlace(given: HostPlace, env: NodeJS.ProcessEnv = process.env): Place {
  const root = resolve(given.root ?? ".");
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new IkigaiError("not_found", `The workspace ${root} is not a folder`, {
      hint: "Choose one with --root DIR.",
    });
  }
  const agent = given.agent ?? env["IKIGAI_AGENT"] ?? "default";
  if (!AGENT_NAME.test(agent)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(agent)} cannot name an agent`, {
      hint: "Use up to 64 letters, digits, dots, dashes and underscores.",
    });
  }
  const { storeUrl, stateDirectory } = storeOf(given, env);
  assertFolder(stateDirectory);
  return {
    root,
    stateDirectory,
    ...(storeUrl !== undefined && { storeUrl }),
    configDirectory: given.configDirectory ?? configDirectory(env),
    agent,
  };
}

/**
 * The flag names a folder or a server, the variable a server only.
 *
 * Contract: an empty variable counts as none. What cannot be a store is `invalid_input`; of its text only the scheme is
 * repeated, since an address may hold a password.
 */
function storeOf(given: HostPlace, env: NodeJS.ProcessEnv): Pick<Place, "storeUrl" | "stateDirectory"> {
  const store = given.store ?? (env["DATABASE_URL"] || undefined);
  if (store === undefined) return { stateDirectory: dataDirectory(env) };
  if (URL_STORE.test(store)) return { stateDirectory: dataDirectory(env), storeUrl: store };
  const where = given.store === undefined ? "DATABASE_URL" : "--store";
  const scheme = ANY_URL.exec(store)?.[1];
  if (scheme !== undefined) throw notAStore(`${where} is an address of "${scheme}://", which cannot hold a store`);
  if (given.store === undefined) throw notAStore(`${where} is not the address of a PostgreSQL server`);
  if (store === "") throw notAStore(`${where} is empty`);
  return { stateDirectory: resolve(store) };
}

function notAStore(message: string): IkigaiError {
  return new IkigaiError("invalid_input", message, {
    hint: "Write postgres://user@host/database, or choose a folder with --store DIR.",
  });
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
