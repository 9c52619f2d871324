import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const WORDS = 20_000;

/** The same numbers on every run. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Sentences whose words are as unevenly common as those of a language. */
export function createWriter(seed: number): (words: number) => string {
  const random = createRandom(seed);
  const word = (): string => `w${Math.floor(Math.exp(random() * Math.log(WORDS)))}x`;
  return (words) => Array.from({ length: words }, word).join(" ");
}

/** A text of exactly `bytes` bytes, in lines of 80, that holds `marker` once, in its middle. */
export function textOf(bytes: number, marker: string): string {
  const write = createWriter(bytes);
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += 80) lines.push(write(30).slice(0, 79));
  const text = `${lines.join("\n")}\n`.slice(0, bytes - 1);
  const middle = Math.floor((bytes - marker.length) / 2);
  return `${text.slice(0, middle)}${marker}${text.slice(middle + marker.length)}\n`;
}

/** Writes `files` files of source-like text below `root`; one in a hundred holds the word `needle`. Gives their paths. */
export async function plantTree(root: string, files: number): Promise<string[]> {
  const write = createWriter(files);
  const paths: string[] = [];
  for (let index = 0; index < files; index++) {
    const folder = `part${index % 50}/group${Math.floor(index / 50) % 20}`;
    paths.push(`${folder}/file${index}.${index % 3 === 0 ? "ts" : index % 3 === 1 ? "md" : "json"}`);
  }
  await plant(root, paths, (index) => {
    const body = Array.from({ length: 12 }, () => write(9)).join("\n");
    return index % 100 === 0 ? `${body}\nneedle ${index}\n` : `${body}\n`;
  });
  return paths;
}

/** Writes a vault of `notes` notes with front matter, headings, tags and about six links each. Gives their names. */
export async function plantVault(root: string, notes: number): Promise<string[]> {
  const write = createWriter(notes);
  const random = createRandom(notes);
  const names = Array.from({ length: notes }, (_, index) => `Note ${index}`);
  const paths = names.map((name, index) => `area${index % 40}/${name}.md`);
  await plant(root, paths, (index) => {
    const links = Array.from({ length: 6 }, () => `[[Note ${Math.floor(random() * notes)}]]`);
    return [
      `---\ntags: [t${index % 30}, area/a${index % 40}]\nrank: ${index}\naliases: [Alias ${index}]\n---`,
      `# Note ${index}`,
      ...links.slice(0, 3).map((link) => `${write(40)} ${link} ${write(20)}`),
      `## Part of ${index}`,
      ...links.slice(3).map((link) => `${write(40)} ${link} #tag${index % 17} ${write(20)}`),
      "",
    ].join("\n\n");
  });
  return names;
}

const AT_ONCE = 64;

async function plant(root: string, paths: readonly string[], text: (index: number) => string): Promise<void> {
  for (const folder of new Set(paths.map((path) => dirname(path))))
    await mkdir(join(root, folder), { recursive: true });
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    await Promise.all(
      paths.slice(from, from + AT_ONCE).map((path, index) => writeFile(join(root, path), text(from + index))),
    );
  }
}

/** A text with one place that goes back and forth between two words of the same length. */
export function createFlip(size: number): { flip(): { old: string; new: string }; text(): string } {
  const words = ["marker-one", "marker-two"] as const;
  const texts = words.map((word) => textOf(size, word));
  let now = 0;
  return {
    flip() {
      const old = words[now] ?? "";
      now = 1 - now;
      return { old, new: words[now] ?? "" };
    },
    text: () => texts[now] ?? "",
  };
}
