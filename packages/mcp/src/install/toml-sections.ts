/** The part of a TOML file under one header, or before the first. */
export interface TomlSection {
  /** The header's dotted name; empty before the first header. */
  readonly path: readonly string[];
  readonly text: string;
}

const HEADER = /^[ \t]*\[{1,2}([^\]]*)\]{1,2}[ \t]*(?:#.*)?\r?$/;
const PART = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(?:\.|$)/gy;

/**
 * Splits a TOML file at its headers.
 *
 * Contract: the texts joined are the file. A line that looks like a header inside a string of several lines or inside
 * a list is none.
 */
export function tomlSections(text: string): readonly TomlSection[] {
  const sections: { path: readonly string[]; lines: string[] }[] = [{ path: [], lines: [] }];
  let state: ScanState = { quote: undefined, depth: 0 };
  for (const line of text.split(/(?<=\n)/)) {
    const header = state.quote === undefined && state.depth === 0 ? HEADER.exec(line.replace(/\n$/, "")) : null;
    if (header === null) {
      sections.at(-1)?.lines.push(line);
      state = scan(line, state);
      continue;
    }
    sections.push({ path: headerPath(header[1] as string), lines: [line] });
  }
  return sections.map(({ path, lines }) => ({ path, text: lines.join("") }));
}

interface ScanState {
  /** The delimiter of the string of several lines that is open. */
  readonly quote: string | undefined;
  /** Open brackets and braces. */
  readonly depth: number;
}

/** The quote and depth of brackets that are still open at the end of `line`. */
function scan(line: string, { quote, depth }: ScanState): ScanState {
  let open = quote;
  let nested = depth;
  for (let index = 0; index < line.length; index++) {
    const three = line.slice(index, index + 3);
    const character = line[index] as string;
    if (open !== undefined) {
      if (character === "\\" && open.startsWith('"')) index++;
      else if (line.startsWith(open, index)) {
        index += open.length - 1;
        open = undefined;
      }
    } else if (three === '"""' || three === "'''") {
      open = three;
      index += 2;
    } else if (character === '"' || character === "'") open = character;
    else if (character === "#") break;
    else if (character === "[" || character === "{") nested++;
    else if (character === "]" || character === "}") nested--;
  }
  // A string of one line ends with it, whatever it holds.
  return { quote: open?.length === 3 ? open : undefined, depth: nested };
}

function headerPath(name: string): readonly string[] {
  return [...name.matchAll(PART)].map(([, basic, literal, bare]) => bare ?? literal ?? unquoted(basic as string));
}

function unquoted(basic: string): string {
  try {
    return JSON.parse(`"${basic}"`) as string;
  } catch {
    return basic;
  }
}
