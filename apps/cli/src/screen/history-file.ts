import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Settings } from "../settings.ts";
import { type KeptHistory, pasteLabel, type Submission } from "@ikigai/terminal/screen";

/** What was sent at the terminal in one workspace, kept between sessions. */
export interface HistoryFile extends KeptHistory {
  /** Resolves when everything that was added is on disk. Contract: never rejects. */
  settled(): Promise<void>;
}

const FOLDER = "input-history";
const MOST_ENTRIES = 1_000;
const LONGEST_ENTRY = 10_000;
/** The file is written anew when it has grown past this. */
const LONGEST_FILE = 4_000_000;

/**
 * Contract: one file a workspace, which only its owner can read, without the secrets of what was sent. Keeps the newest 1,000
 * entries; of one longer than 10,000 characters the pastes are left out, and one that is still longer, or begins with a
 * space, is not kept. What cannot be read or written is as if it were not there.
 */
export function openHistoryFile({ stateDirectory, root }: Pick<Settings, "stateDirectory" | "root">): HistoryFile {
  const file = join(stateDirectory, FOLDER, `${nameOf(root)}.jsonl`);
  let last: Promise<unknown> = Promise.resolve();

  async function write(sent: Submission): Promise<void> {
    const { createRedactor, makePrivateFolder } = await import("@ikigai/permission");
    const entry = shorten(sent);
    if (entry === undefined) return;
    const text = createRedactor().redact(entry.text);
    // Where something was taken out the places are no longer known, so that all of it counts as pasted.
    const pasted = text === entry.text ? entry.pasted : [{ start: 0, end: text.length }];
    await makePrivateFolder(dirname(file));
    await appendFile(file, `${JSON.stringify({ text, pasted })}\n`, { mode: 0o600 });
  }

  return {
    async load() {
      const written = await readFile(file, "utf8").catch(() => "");
      const lines = written.split("\n").filter((line) => line !== "");
      const newest = lines.slice(-MOST_ENTRIES);
      if (lines.length >= 2 * MOST_ENTRIES || written.length > LONGEST_FILE)
        last = last.then(() => replace(file, newest)).catch(() => {});
      return newest.flatMap(parse);
    },
    add(sent) {
      if (sent.text.startsWith(" ")) return;
      last = last.then(() => write(sent)).catch(() => {});
    },
    settled: () => last.then(() => {}),
  };
}

function nameOf(root: string): string {
  return createHash("sha256").update(realpathSync(root)).digest("hex").slice(0, 16);
}

async function replace(file: string, lines: readonly string[]): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  await rename(temporary, file);
}

/** A long message with what stands for its pastes. Contract: `undefined` when it is too long all the same. */
function shorten(sent: Submission): Submission | undefined {
  if (sent.text.length <= LONGEST_ENTRY) return sent;
  const pasted: { start: number; end: number }[] = [];
  let text = "";
  let from = 0;
  for (const { start, end } of sent.pasted) {
    text += sent.text.slice(from, start);
    const whole = sent.text.slice(start, end);
    const kept = whole.length === 1 ? whole : pasteLabel(whole);
    pasted.push({ start: text.length, end: text.length + kept.length });
    text += kept;
    from = end;
  }
  text += sent.text.slice(from);
  return text.length <= LONGEST_ENTRY ? { text, pasted } : undefined;
}

/** Contract: nothing for a line that is none of ours. */
function parse(line: string): Submission[] {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return [];
    const { text, pasted } = value as { text?: unknown; pasted?: unknown };
    if (typeof text !== "string" || !Array.isArray(pasted)) return [];
    let from = 0;
    for (const span of pasted as { start?: unknown; end?: unknown }[]) {
      const { start, end } = span;
      if (typeof start !== "number" || typeof end !== "number" || start < from || end < start || end > text.length)
        return [];
      from = end;
    }
    return [{ text, pasted: pasted as Submission["pasted"] }];
  } catch {
    return [];
  }
}
