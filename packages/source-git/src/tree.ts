import { compareCodePoints } from "@ikigai/core";

/** A file of a tree. */
export interface TreeFile {
  readonly path: string;
  /** The name of its content. */
  readonly id: string;
  readonly bytes: number;
}

const ENTRY = /^100(?:644|755|664) blob ([0-9a-f]+) +(\d+)\t(.+)$/s;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The regular files in what `git ls-tree -r -z -l` printed, below `folder`, by path and in order.
 *
 * Contract: symbolic links, submodules and names that no address can spell are left out.
 */
export function parseTree(output: Buffer, folder: string): ReadonlyMap<string, TreeFile> {
  const files: TreeFile[] = [];
  for (const record of splitAtNul(output)) {
    const [, id, bytes, name] = ENTRY.exec(decode(record) ?? "") ?? [];
    if (id === undefined || name === undefined || !name.startsWith(folder) || name.includes("\\")) continue;
    files.push({ path: name.slice(folder.length), id, bytes: Number(bytes) });
  }
  files.sort((a, b) => compareCodePoints(a.path, b.path));
  return new Map(files.map((file) => [file.path, file]));
}

function* splitAtNul(output: Buffer): Generator<Buffer> {
  for (let start = 0; start < output.length;) {
    const found = output.indexOf(0, start);
    const end = found === -1 ? output.length : found;
    yield output.subarray(start, end);
    start = end + 1;
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
