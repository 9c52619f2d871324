import { IkigaiError } from "@ikigai/core";
import { clientFormat, type ClientName, type ServerEntry } from "./clients.ts";
import { editJson } from "./json-config.ts";
import { editToml } from "./toml-config.ts";

const SERVER_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A client's configuration with the server added, or its entry replaced. Contract: all else stays as it was. */
export async function addToClientConfig(
  client: ClientName,
  text: string,
  name: string,
  { command, args = [], env = {} }: ServerEntry,
): Promise<string> {
  const { format, key, entry: toEntry } = clientFormat(client);
  assertName(name);
  const entry = toEntry({ command, args, env });
  return format === "json" ? editJson(text, [key, name], entry) : editToml(text, [key, name], entry);
}

/** A client's configuration without the server. Contract: the same text when it was not there. */
export async function removeFromClientConfig(client: ClientName, text: string, name: string): Promise<string> {
  const { format, key } = clientFormat(client);
  assertName(name);
  return format === "json" ? editJson(text, [key, name], undefined) : editToml(text, [key, name], undefined);
}

function assertName(name: string): void {
  if (SERVER_NAME.test(name)) return;
  throw new IkigaiError("invalid_input", `${JSON.stringify(name.slice(0, 80))} cannot name a server`, {
    hint: "Use letters, digits, dashes and underscores, starting with a letter.",
  });
}
