import { IkigaiError } from "@ikigai/core";
import { parseWikilink } from "../markdown/wikilink.ts";

/** A reference to a note, taken apart. */
export interface NoteReference {
  /** The name as written, with its folder if it has one; empty for a place in the same note. */
  readonly path: string;
  /** The last part of the path, without `.md`. */
  readonly name: string;
  /** Folder that stands before the name. */
  readonly folder?: string;
  /** The mount, when the reference is an address. */
  readonly mount?: string;
  readonly headings: readonly string[];
  readonly block?: string;
  readonly alias?: string;
  readonly embed: boolean;
}

const ADDRESS = /^([A-Za-z][A-Za-z0-9-]{0,31}):\/\/\/(.*)$/;
const MAX_REFERENCE = 1_000;

/**
 * Reads `Name`, `[[Name]]`, `![[Name]]`, `folder/Name`, `Name.md`, `Name#Heading#Sub`, `Name#^block`, `Name|Alias` and
 * `mount:///folder/Name.md`.
 *
 * Contract: text that cannot name a note is `invalid_input`.
 */
export function parseReference(reference: string): NoteReference {
  const trimmed = reference.trim();
  const embed = trimmed.startsWith("![[");
  const isLink = trimmed.endsWith("]]") && (embed || trimmed.startsWith("[["));
  const raw = isLink ? trimmed.slice(embed ? 3 : 2, -2) : trimmed;
  if (raw.trim() === "" || raw.length > MAX_REFERENCE || /[\0\n\r]/.test(raw) || !raw.isWellFormed()) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(reference.slice(0, 80))} does not name a note`, {
      hint: "Give a note's name, such as Ideas, projects/Ideas or [[Ideas]].",
      details: { error_type: "invalid_format", note_name: reference.slice(0, 80) },
    });
  }
  const { path: written, ...rest } = parseWikilink(raw);
  const address = ADDRESS.exec(written);
  const path = normalisePath(address === null ? written : (address[2] as string));
  const slash = path.lastIndexOf("/");
  const last = path.slice(slash + 1);
  return {
    path,
    name: last.toLowerCase().endsWith(".md") ? last.slice(0, -3) : last,
    ...(slash > 0 && { folder: path.slice(0, slash) }),
    ...(address !== null && { mount: (address[1] as string).toLowerCase() }),
    ...rest,
    embed,
  };
}

function normalisePath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}
