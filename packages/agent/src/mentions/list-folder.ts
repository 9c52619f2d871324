import type { Route } from "@ikigai/core/host";

/** A folder of a source that holds something. */
export interface Folder {
  /** Its address, with a slash at the end. */
  readonly uri: string;
  /** Beginning of the paths of the folder's entries. */
  readonly prefix: string;
  readonly source: Route["source"];
}

const MOST_WALKED = 20_000;
const MOST_NAMES = 500;

/** Contract: `undefined` when no text lies below the route. */
export async function findFolder({ source, uri, address: at }: Route): Promise<Folder | undefined> {
  const prefix = at.path === "" ? "" : `${at.path}/`;
  for await (const _ of source.list(prefix)) return { uri: `${uri.replace(/\/+$/, "")}/`, prefix, source };
  return undefined;
}

/** The names directly in a folder, one a line; a folder in it with a slash and how many texts lie below. */
export async function listFolder({ prefix, source }: Folder): Promise<string> {
  const names = new Map<string, number>();
  let walked = 0;
  for await (const { path } of source.list(prefix)) {
    if (++walked > MOST_WALKED) break;
    const [name = "", ...below] = path.slice(prefix.length).split("/");
    const shown = below.length === 0 ? name : `${name}/`;
    names.set(shown, (names.get(shown) ?? 0) + 1);
  }
  const lines = [...names].map(([name, count]) =>
    name.endsWith("/") ? `${name} (${count} ${count === 1 ? "file" : "files"})` : name,
  );
  const hidden = lines.length - MOST_NAMES;
  return [
    ...lines.slice(0, MOST_NAMES),
    ...(hidden > 0 ? [`… ${hidden} more`] : []),
    ...(walked > MOST_WALKED ? [`… only the first ${MOST_WALKED} files were looked at`] : []),
  ].join("\n");
}
