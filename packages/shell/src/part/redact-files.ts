import { open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Redactor } from "@ikigai/core/redact";

const PIECE_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Takes secrets out of every file of a folder that nobody writes to any more, and removes the folder when it has none.
 *
 * Contract: other bytes stay, also those that are no text; a file that cannot be rewritten is removed. No folder is no fault.
 */
export async function redactFiles(folder: string, redactor: Pick<Redactor, "redact">): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    const clean = join(folder, `.${name.slice(0, 200)}.clean`);
    try {
      await copyRedacted(path, clean, redactor);
      await rename(clean, path);
    } catch {
      await rm(clean, { force: true });
      await rm(path, { force: true, recursive: true });
    }
  }
  // A folder that is not empty stays.
  await rmdir(folder).catch(() => {});
}

/** Piece by piece, each ending with a line, so that few secrets are cut. */
async function copyRedacted(from: string, to: string, { redact }: Pick<Redactor, "redact">): Promise<void> {
  await using source = await open(from, "r");
  await using target = await open(to, "wx", 0o600);
  // Bytes are read as one character each, so that bytes that are no text stay as they are.
  const write = (bytes: Buffer): Promise<unknown> =>
    target.writeFile(Buffer.from(redact(bytes.toString("latin1")), "latin1"));
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await source.read(piece, 0, PIECE_BYTES);
    if (bytesRead === 0) break;
    const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1 || bytes.length;
    await write(bytes.subarray(0, end));
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) await write(rest);
}
