/** The parts of a wikilink's text. */
export interface WikilinkParts {
  /** The note or file, as written and trimmed; empty for a link into the same note. */
  readonly path: string;
  /** Headings to walk down, outermost first. */
  readonly headings: readonly string[];
  /** The `^id` of a block. */
  readonly block?: string;
  readonly alias?: string;
}

/**
 * Splits what stands between `[[` and `]]`: first at `|`, then at `#`; a last part that starts with `^` names a block.
 *
 * Contract: never throws; `\|`, as tables need it, separates like `|`; a `|` at the very start separates nothing.
 */
export function parseWikilink(raw: string): WikilinkParts {
  const pipe = raw.indexOf("|", 1);
  const target = pipe === -1 ? raw : raw.slice(0, raw[pipe - 1] === "\\" ? pipe - 1 : pipe);
  const [path = "", ...rest] = target.split("#");
  const parts = rest.map((part) => part.trim()).filter((part) => part !== "");
  const last = parts.at(-1);
  const block = last?.startsWith("^") ? last.slice(1) : undefined;
  return {
    path: path.trim(),
    headings: block === undefined ? parts : parts.slice(0, -1),
    ...(block !== undefined && { block }),
    ...(pipe !== -1 && { alias: raw.slice(pipe + 1).trim() }),
  };
}

/** The path of a wikilink alone, for when speed counts. */
export function linkPath(raw: string): string {
  let end = raw.length;
  for (let i = 0; i < raw.length; i += 1) {
    const code = raw.charCodeAt(i);
    if (code === 35 || (code === 124 && i > 0)) {
      end = code === 124 && raw.charCodeAt(i - 1) === 92 ? i - 1 : i;
      break;
    }
  }
  return raw.slice(0, end).trim();
}

/** Writes a wikilink's text with another path, leaving its heading, block and alias as they are. */
export function withLinkPath(raw: string, path: string): string {
  const match = /(?!^)\\?\||#/.exec(raw);
  return match === null ? path : path + raw.slice(match.index);
}
