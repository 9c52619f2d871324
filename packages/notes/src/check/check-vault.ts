import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { compareCodePoints, IkigaiError, messageOf } from "@ikigai/core";
import { linkPath } from "../markdown/wikilink.ts";
import { scanNote } from "../note/scan-note.ts";
import { createLinkTargets } from "../resolve/link-targets.ts";

/** One wikilink of a vault and where Obsidian would go on a click. */
export interface CheckedLink {
  /** Path of the note, relative to the vault. */
  readonly from: string;
  /** The text between the brackets. */
  readonly raw: string;
  readonly embed: boolean;
  /** Path of the target, or `null` when there is none. */
  readonly to: string | null;
  readonly reason?: "not_found" | "ambiguous";
}

export interface CheckVaultOptions {
  readonly signal?: AbortSignal;
  /** Receives a warning about a file that cannot be read. Default: it is passed over. */
  readonly warn?: (message: string) => void;
}

const READ_AT_ONCE = 32;
const MAX_NOTE_BYTES = 64 * 1024 * 1024;

/**
 * Every wikilink of the notes below `directory`, by path and then by place in the text, resolved as Obsidian does.
 *
 * Contract: reads only; what starts with a dot is no part of a vault; links that lead out of it are not followed;
 * `ambiguous` means that several files match, and `to` is the one that Obsidian opens.
 */
export async function* checkVault(directory: string, options: CheckVaultOptions = {}): AsyncGenerator<CheckedLink> {
  const root = await openVault(directory);
  const paths = await listFiles(root, options.signal);
  const targets = createLinkTargets(paths);
  const notes = paths.filter((path) => /\.md$/i.test(path));
  const warn = options.warn ?? ((): void => undefined);
  for (let at = 0; at < notes.length; at += READ_AT_ONCE) {
    options.signal?.throwIfAborted();
    const batch = notes.slice(at, at + READ_AT_ONCE);
    const texts = await Promise.all(batch.map((path) => readNote(root, path, warn)));
    for (const [index, from] of batch.entries()) {
      for (const link of scanNote(texts[index] as string).links) {
        if (link.kind === "markdown") continue;
        const { path, candidates } = targets.resolve(linkPath(link.raw), from);
        const reason = path === undefined ? "not_found" : candidates.length > 1 ? "ambiguous" : undefined;
        yield { from, raw: link.raw, embed: link.embed, to: path ?? null, ...(reason !== undefined && { reason }) };
      }
    }
  }
}

async function openVault(directory: string): Promise<string> {
  const root = await realpath(directory).catch(() => undefined);
  if (root !== undefined && (await stat(root)).isDirectory()) return root;
  throw new IkigaiError("not_found", `"${directory}" is not a folder`, { hint: "Name the folder of the vault." });
}

async function listFiles(root: string, signal: AbortSignal | undefined): Promise<string[]> {
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith(".")) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() || (entry.isSymbolicLink() && (await leadsInside(root, path)))) files.push(path);
    }
  }
  return files.toSorted(compareCodePoints);
}

async function leadsInside(root: string, path: string): Promise<boolean> {
  const target = await realpath(join(root, path)).catch(() => undefined);
  return target !== undefined && target.startsWith(root + sep) && (await stat(target)).isFile();
}

async function readNote(root: string, path: string, warn: (message: string) => void): Promise<string> {
  try {
    const file = join(root, path);
    const { size } = await stat(file);
    if (size <= MAX_NOTE_BYTES) return await readFile(file, "utf8");
    warn(`${path} has ${size} bytes and was passed over`);
  } catch (error) {
    warn(`${path} could not be read: ${messageOf(error)}`);
  }
  return "";
}
