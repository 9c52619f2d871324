import { IkigaiError } from "@ikigai/core";
import { addToClientConfig, removeFromClientConfig } from "./client-config.ts";
import { clientConfigPath, clientFormat, type ClientName, type ClientPlaces, type ServerEntry } from "./clients.ts";
import { readConfig, writeConfig } from "./write-config.ts";

/** A change to a client's configuration that can be shown before it is made. */
export interface ClientConfigChange {
  readonly path: string;
  /** Absent when there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  readonly changed: boolean;
  /** Contract: `conflict` when the file changed since it was read; does nothing when there is nothing to change. */
  apply(): Promise<void>;
}

/** The server's name in the clients' configurations, unless another is given. */
const SERVER = "ikigai";

/** Plans to add the server to a client's configuration. */
export async function installClient(
  client: ClientName,
  entry: ServerEntry,
  places: ClientPlaces,
  name: string = SERVER,
): Promise<ClientConfigChange> {
  return planChange(await existingConfig(client, places), (text) => addToClientConfig(client, text, name, entry));
}

/** Plans to remove the server from a client's configuration. */
export async function uninstallClient(
  client: ClientName,
  places: ClientPlaces,
  name: string = SERVER,
): Promise<ClientConfigChange> {
  return planChange(await existingConfig(client, places), (text) => removeFromClientConfig(client, text, name));
}

/** The file to write: a client that also reads a `.jsonc` gets no second file beside the one its user keeps. */
async function existingConfig(client: ClientName, places: ClientPlaces): Promise<string> {
  const usual = clientConfigPath(client, places);
  if (clientFormat(client).withJsonc !== true || (await readConfig(usual)) !== undefined) return usual;
  return (await readConfig(`${usual}c`)) === undefined ? usual : `${usual}c`;
}

async function planChange(path: string, edit: (text: string) => Promise<string>): Promise<ClientConfigChange> {
  const before = await readConfig(path);
  const after = await edit(before ?? "").catch((error: unknown) => {
    if (!IkigaiError.is(error)) throw error;
    throw new IkigaiError(error.code, `${path}: ${error.message}`, {
      cause: error,
      ...(error.hint !== undefined && { hint: error.hint }),
    });
  });
  const changed = after !== (before ?? "");
  return {
    path,
    before,
    after,
    changed,
    async apply() {
      if (changed) await writeConfig(path, before, after);
    },
  };
}
