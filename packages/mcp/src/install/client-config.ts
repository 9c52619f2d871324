import { IkigaiError } from "@ikigai/core";
import { clientFormat, type ClientName, type ServerEntry } from "./clients.ts";
import { editJson } from "./json-config.ts";
import { editToml } from "./toml-config.ts";

const SERVER_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * A client's configuration with the server added, or how it is started replaced.
 *
 * Contract: all else stays as it was, also what the user added to the entry, such as variables.
 */
export async function addToClientConfig(
  client: ClientName,
  text: string,
  name: string,
  { command, args = [], env = {} }: ServerEntry,
): Promise<string> {
  const { format, key, entry: toEntry } = clientFormat(client);
  assertName(name);
  const entry = toEntry({ command, args, env });
  const value = (now: unknown): Entry => withOwnKeys(entry, now);
  return format === "json" ? editJson(text, [key, name], value) : editToml(text, [key, name], value);
}

/** A client's configuration without the server. Contract: the same text when it was not there. */
export async function removeFromClientConfig(client: ClientName, text: string, name: string): Promise<string> {
  const { format, key } = clientFormat(client);
  assertName(name);
  return format === "json" ? editJson(text, [key, name], undefined) : editToml(text, [key, name], undefined);
}

type Entry = Record<string, unknown>;

/** Keys that say how the server is started, which are not taken over from an older entry. */
const START_KEYS: readonly string[] = ["type", "command", "args"];

function withOwnKeys(entry: Readonly<Entry>, now: unknown): Entry {
  if (!isTable(now)) return { ...entry };
  const merged: Entry = { ...entry, ...now };
  for (const [key, value] of Object.entries(entry)) {
    if (START_KEYS.includes(key)) merged[key] = value;
    else if (isTable(value)) merged[key] = { ...(isTable(now[key]) && now[key]), ...value };
  }
  return merged;
}

function isTable(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function assertName(name: string): void {
  if (SERVER_NAME.test(name)) return;
  throw new IkigaiError("invalid_input", `${JSON.stringify(name.slice(0, 80))} cannot name a server`, {
    hint: "Use letters, digits, dashes and underscores, starting with a letter.",
  });
}
