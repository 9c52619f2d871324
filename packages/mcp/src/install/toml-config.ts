import { isDeepStrictEqual } from "node:util";
import { IkigaiError, messageOf } from "@ikigai/core";
import { type TomlSection, tomlSections } from "./toml-sections.ts";

type Table = Record<string, unknown>;

/**
 * A TOML file with the table `[key.name]` set, by what it holds now, or, for `undefined`, removed.
 *
 * Contract: every character outside that table stays as it was. The result is read again and must say the same as
 * before in everything else; a file written in a way that does not allow this is `unsupported`, and one that is not
 * TOML `invalid_input`.
 */
export async function editToml(
  text: string,
  at: readonly [string, string],
  toValue: ((now: unknown) => Table) | undefined,
): Promise<string> {
  const { parse, stringify } = await import("smol-toml");
  const [key, name] = at;
  const before = read(parse, text);
  const servers = (before[key] ?? {}) as Table;
  const now = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (toValue === undefined && now === undefined) return text;
  const value = toValue?.(now);
  const written = value === undefined ? "" : stringify({ [key]: { [name]: value } });
  const sections = tomlSections(text);
  const isOwn = ({ path }: TomlSection): boolean => path[0] === key && path[1] === name;
  const place = sections.findIndex(isOwn);
  const kept = sections.map((section, index) => {
    if (!isOwn(section)) return section.text;
    const next = sections[index + 1];
    const gap = next !== undefined && isOwn(next) ? "" : gapAfter(section.text);
    return index === place ? written + (value === undefined ? gap.replace(/^\s*\n/, "") : gap) : gap;
  });
  const after = place === -1 ? `${withGap(text)}${written}` : kept.join("");
  const { [name]: _, ...others } = servers;
  const expected = { ...before, [key]: value === undefined ? others : { ...others, [name]: value } };
  if (isDeepStrictEqual(withoutEmpty(read(parse, after), key), withoutEmpty(expected, key))) return after;
  throw new IkigaiError("unsupported", `"${key}.${name}" is not written as a table of its own`, {
    hint: "Change it by hand.",
  });
}

/** The blank lines and comments at the end of a section, which belong to what follows. */
function gapAfter(text: string): string {
  const lines = text.split(/(?<=\n)/);
  return lines.slice(lines.findLastIndex((line) => !/^[ \t]*(?:#.*)?\r?\n$/.test(line)) + 1).join("");
}

/** A blank line before what is appended. */
function withGap(text: string): string {
  if (text.trim() === "") return text;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const ended = text.endsWith("\n") ? text : `${text}${newline}`;
  return /\n\r?\n$/.test(ended) ? ended : `${ended}${newline}`;
}

/** A table without entries is the same as none. */
function withoutEmpty(root: Table, key: string): Table {
  const plain = structuredClone(root);
  const servers = plain[key];
  if (typeof servers === "object" && servers !== null && Object.keys(servers).length === 0) delete plain[key];
  return plain;
}

function read(parse: (text: string) => Table, text: string): Table {
  try {
    return structuredClone(parse(text));
  } catch (cause) {
    throw new IkigaiError("invalid_input", `The configuration is not TOML: ${messageOf(cause).split("\n", 1)[0]}`, {
      hint: "Mend the file by hand, then try again.",
      cause,
    });
  }
}
