import { closeSync, constants, fdatasync, openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { IkigaiError, messageOf } from "@ikigai/core";

export interface AppendOptions {
  /** Whether the row is on the disk when this resolves. Default false. */
  readonly sync?: boolean;
}

const datasync = promisify(fdatasync);

/**
 * Adds one row of JSON to the end of a file that several processes may write to.
 *
 * Contract: rows are never mixed, because each is one write at the end; one that could not be written is `unavailable`
 * and spoils no other, because each row begins on a line of its own.
 */
export async function appendRow(path: string, row: object, { sync = false }: AppendOptions = {}): Promise<void> {
  try {
    await append(path, Buffer.from(`\n${JSON.stringify(row)}\n`), sync);
  } catch (cause) {
    throw new IkigaiError("unavailable", `${path} cannot be written to: ${messageOf(cause)}`, {
      hint: "Make room on the disk, or mend its permissions.",
      cause,
    });
  }
}

/** A write to the end of a file that is not synced waits for nothing, so it is made at once. */
async function append(path: string, bytes: Buffer, sync: boolean): Promise<void> {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    const written = writeSync(file, bytes);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes fit`);
    if (sync) await datasync(file);
  } finally {
    closeSync(file);
  }
}

/** Rows of a file, oldest first. Contract: none when there is no file; a torn row is left out. */
export async function readRows(path: string): Promise<object[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").flatMap((line) => {
    try {
      const row: unknown = JSON.parse(line);
      return typeof row === "object" && row !== null ? [row] : [];
    } catch {
      return [];
    }
  });
}
