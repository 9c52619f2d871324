import { type Address, formatAddress, IkigaiError, parsePrefix } from "@ikigai/core";
import { HOST_MOUNT, type SourceManager } from "@ikigai/core/host";
import type { NoteGraph } from "../index-store/note-graph.ts";
import { isNotePath } from "../index-store/note-row.ts";

// oxlint-disable-next-line no-control-regex
const UNFIT = /[\u0000-\u001f\u007f#^[\]|\\:*?"<>]/;
const MAX_NAME_BYTES = 240;

/** How an address begins, also one with a slash too few, which would become a folder of that name. */
const ADDRESS = /^[A-Za-z][A-Za-z0-9-]{0,31}:\/\/\/|^[A-Za-z][A-Za-z0-9-]{1,31}:\//;

/**
 * The address of a note called `name` in `folder`.
 *
 * Contract: `invalid_input` for a name that links or files cannot carry; a name may bring its folder (`a/b`) or be an
 * address (`ikigai:///a/b`), and then `folder` is refused.
 */
export function noteAddress(sources: SourceManager, name: string, folder: string | undefined, home: string): string {
  const trimmed = name.trim();
  const slash = trimmed.lastIndexOf("/");
  const base = trimmed.slice(slash + 1).trim();
  const bare = isNotePath(base) ? base.slice(0, -3) : base;
  const isUnfit = bare === "" || bare.startsWith(".") || bare.endsWith(".") || UNFIT.test(bare) || !bare.isWellFormed();
  if (isUnfit || new TextEncoder().encode(bare).length > MAX_NAME_BYTES) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(name.slice(0, 80))} cannot be the name of a note`, {
      hint: 'Use up to 240 bytes without # ^ [ ] | \\ : * ? " < > and without a dot at either end.',
      details: { error_type: "invalid_format", note_name: name.slice(0, 80) },
    });
  }
  const before = trimmed.slice(0, slash + 1);
  const isAddress = ADDRESS.test(before) || locatedAt(before, sources) !== undefined;
  if (isAddress && folder !== undefined && folder !== "") {
    throw new IkigaiError(
      "invalid_input",
      `${JSON.stringify(name)} is an address, and folder is ${JSON.stringify(folder)}`,
      {
        hint: "Leave folder out, or give the name alone.",
        details: { error_type: "invalid_format", note_name: name.slice(0, 80) },
      },
    );
  }
  const below = isAddress ? before : [folder ?? "", before].filter((part) => part !== "").join("/");
  const { mount, path } = joinAddress(below, home, sources);
  return sources.route(formatAddress({ mount, path: path === "" ? `${bare}.md` : `${path}/${bare}.md` })).uri;
}

/**
 * The mount and folder that `below` names: an address as it is, an absolute path of the machine that lies in a mount, or
 * a path below `home`.
 */
export function joinAddress(below: string, home: string, sources: SourceManager): Address {
  const start = parsePrefix(home, home);
  if (ADDRESS.test(below)) return parsePrefix(below, start.mount);
  const located = locatedAt(below, sources);
  if (located !== undefined) return located;
  const relative = parsePrefix(`${start.mount}:///${below}`, start.mount);
  const path = [start.path, relative.path].filter((part) => part !== "").join("/");
  return { mount: start.mount, path };
}

/** Where an absolute path of the machine lies in a mount. Absent: it lies in none, or is no absolute path. */
function locatedAt(path: string, sources: SourceManager): Address | undefined {
  if (!path.startsWith("/")) return undefined;
  try {
    const { address } = sources.routePrefix(path);
    return address.mount === HOST_MOUNT ? undefined : address;
  } catch (error) {
    if (IkigaiError.is(error)) return undefined;
    throw error;
  }
}

/** The first mount of the index that can be written. */
export function defaultHome(sources: SourceManager, graph: NoteGraph): string {
  const indexed = graph.mounts();
  const writable = sources
    .status()
    .filter(({ kind, capabilities }) => kind === "block" && capabilities.includes("write"))
    .map(({ mount }) => mount);
  const mount = writable.find((one) => indexed.includes(one)) ?? writable[0];
  if (mount !== undefined) return `${mount}:///`;
  throw new IkigaiError("unsupported", "No source is mounted that notes can be written to", {
    hint: "Mount a source that can be written.",
  });
}

/** Whether the text at an address can be changed at all. */
export function isWritable(sources: SourceManager, uri: string): boolean {
  const { source, permission } = sources.routePrefix(uri);
  return source.write !== undefined && permission !== "read_only";
}
