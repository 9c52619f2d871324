import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

const LEFT_OUT = new Set(["node_modules", "dist", "fixtures", ".git", ".changeset", ".turbo", "coverage", "testing"]);

/** A fenced block: its language, the rest of its info string, its text, and where it starts. */
export interface Fence {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly about: string;
  readonly text: string;
}

export interface Link {
  readonly page: string;
  readonly line: number;
  readonly target: string;
}

/** Every Markdown page of the repository, relative to its root, in order. */
export function pages(folder: string = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : pages(join(folder, entry.name));
      return entry.name.endsWith(".md") ? [relative(ROOT, join(folder, entry.name))] : [];
    })
    .toSorted();
}

export function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** The fenced blocks of a page, in order. Contract: throws for a fence that is not closed. */
export function fencesOf(page: string, text: string = read(page)): Fence[] {
  const fences: Fence[] = [];
  let open: { line: number; info: string; mark: string; indent: number; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", mark = "", info = ""] = /^( *)(`{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (mark !== "") open = { line: index + 1, info: info.trim(), mark, indent: indent.length, lines: [] };
    } else if (mark.length >= open.mark.length && info.trim() === "") {
      const [language = "", ...about] = open.info.split(" ");
      fences.push({ page, line: open.line, language, about: about.join(" "), text: `${open.lines.join("\n")}\n` });
      open = undefined;
    } else open.lines.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: the fence is not closed`);
  return fences;
}

/** A page without its fenced blocks and inline code, line by line. */
function proseOf(page: string): string[] {
  let inside = false;
  return read(page)
    .split("\n")
    .map((line) => {
      if (/^ *```/.test(line)) inside = !inside;
      return inside || /^ *```/.test(line)
        ? ""
        : line.replaceAll(/`[^`]*`/g, (code) => code.replaceAll(/[[\]()]/g, " "));
    });
}

/** The links of a page. */
export function linksOf(page: string): Link[] {
  return proseOf(page).flatMap((line, index) =>
    [...line.matchAll(/\]\(([^)\s]+)\)|<img[^>]* src="([^"]+)"/g)].map(([, link, image]) => ({
      page,
      line: index + 1,
      target: link ?? image ?? "",
    })),
  );
}

/** The anchors that the headings of a page have on GitHub. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of proseOf(page)) {
    const [, heading] = /^#{1,6} (.*)$/.exec(line) ?? [];
    if (heading === undefined) continue;
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    let anchor = plain;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${plain}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** A link of a page as a path from the root of the repository. */
export function resolveLink(page: string, target: string): string {
  return join(dirname(page), target);
}
