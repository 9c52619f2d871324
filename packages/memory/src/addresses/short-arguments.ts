/** What a place is wanted for, which decides what a short address may mean. */
export type PlaceUse = "read" | "change" | "create" | "folder" | "label";

/** What is known where arguments are expanded. */
export interface Expansion {
  /** The place in full, where `text` is short. */
  readonly expand: (text: string, use: PlaceUse) => Promise<string>;
  /** Whether bare paths lead to files. */
  readonly hasWorkspace: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Expands the places among the arguments of one tool. Contract: changes nothing that it was given. */
export type ExpandArguments = (given: Arguments, expansion: Expansion) => Promise<Record<string, unknown>>;

/** The tools whose arguments name places, and which do. */
export const SHORT_ARGUMENTS: Readonly<Record<string, ExpandArguments>> = {
  file_read: inFields({ path: "read" }),
  file_write: inFields({ path: "create" }),
  file_edit: inFields({ path: "change" }),
  file_delete: inFields({ path: "change" }),
  file_move: inFields({ from: "change", to: "create" }),
  undo: inFields({ path: "change" }),
  block: ofBlock,
  block_edit: ofBlock,
  grep: async (given, expansion) => {
    const input = await inFields({ path: "folder" })(given, expansion);
    // In a workspace the glob says which files are looked into, at any depth.
    return expansion.hasWorkspace ? input : inPattern(input, "glob", expansion);
  },
  glob: async (given, expansion) =>
    inPattern(await inFields({ path: "folder" })(given, expansion), "pattern", expansion),
  list_notes: inFields({ path: "folder" }),
  create_note: ofNewNote("name"),
  rename_note: ofNewNote("new_name"),
};

const MAGIC = /[*?[\]{}!+@()]/;
const NOTE_ENDING = /\.md$/i;

function inFields(fields: Readonly<Record<string, PlaceUse>>): ExpandArguments {
  return async (given, { expand }) => {
    const input: Record<string, unknown> = { ...given };
    for (const [field, use] of Object.entries(fields)) {
      const value = given[field];
      if (typeof value === "string") input[field] = await expand(value, use);
    }
    return input;
  };
}

/** With a source of its own, a label is a path in that source. */
async function ofBlock(given: Arguments, expansion: Expansion): Promise<Record<string, unknown>> {
  return given["source_id"] === undefined ? inFields({ label: "label" })(given, expansion) : { ...given };
}

/** A glob that begins with a folder of the store is taken from there, unless a path says where it begins. */
async function inPattern(
  given: Record<string, unknown>,
  field: string,
  { expand }: Expansion,
): Promise<Record<string, unknown>> {
  const { path = "", [field]: pattern } = given;
  if (path !== "" || typeof pattern !== "string") return given;
  const segments = pattern.split("/");
  const magic = segments.findIndex((segment) => MAGIC.test(segment));
  const folders = magic === -1 ? segments.length - 1 : magic;
  const start = segments.slice(0, folders).join("/");
  const place = await expand(start, "folder");
  return place === start ? given : { ...given, [field]: [place, ...segments.slice(folders)].join("/") };
}

/** The name of a new note may bring its folder, or a folder stands beside it. */
function ofNewNote(field: string): ExpandArguments {
  return async (given, { expand }) => {
    const { [field]: name, folder, ...rest } = given;
    if (typeof name !== "string") return { ...given };
    const written = [...(typeof folder === "string" ? [folder.replace(/\/+$/, "")] : []), name.trim()]
      .filter((part) => part !== "")
      .join("/");
    const path = NOTE_ENDING.test(written) ? written : `${written}.md`;
    const place = await expand(path, "create");
    return place === path ? { ...given } : { ...rest, [field]: place.replace(NOTE_ENDING, "") };
  };
}
