import { closeSync, constants, fdatasync, fstatSync, openSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
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
 * and spoils no other, because each row begins on a line of its own. Gives the bytes that the file has then.
 */
export async function appendRow(path: string, row: object, { sync = false }: AppendOptions = {}): Promise<number> {
  try {
    return await append(path, Buffer.from(`\n${JSON.stringify(row)}\n`), sync);
  } catch (cause) {
    throw notWritable(path, cause);
  }
}

/** Contract: for what kept a row from being added to the file. */
export function notWritable(path: string, cause: unknown): IkigaiError {
  return new IkigaiError("unavailable", `${path} cannot be written to: ${messageOf(cause)}`, {
    hint: "Make room on the disk, or mend its permissions.",
    cause,
  });
}

/** A write to the end of a file that is not synced waits for nothing, so it is made at once. */
async function append(path: string, bytes: Buffer, sync: boolean): Promise<number> {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    const written = writeSync(file, bytes);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes fit`);
    if (sync) await datasync(file);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Rows of a file, oldest first. Contract: none when there is no file; a torn row is left out. */
export async function readRows(path: string): Promise<object[]> {
  const rows: object[] = [];
  for await (const line of readLines(path)) {
    const row = parseRow(line);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** A line as a row. Contract: `undefined` for what is not an object of JSON, such as a torn line. */
export function parseRow(line: string): object | undefined {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === "object" && row !== null ? row : undefined;
  } catch {
    return undefined;
  }
}

const READ_BYTES = 1024 * 1024;
/** No line of ours comes near it: a longer one cannot be a row. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * The lines of a file, however long it is, without reading it at once.
 *
 * Contract: none when there is no file; empty lines and lines of more than 64 MiB are left out.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return;
  try {
    yield* linesOf(file);
  } finally {
    await file.close();
  }
}

async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  const chunk = Buffer.alloc(READ_BYTES);
  let begun: Buffer[] = [];
  let length = 0;
  const finish = (): string => {
    const line = length > MAX_LINE_BYTES ? "" : Buffer.concat(begun).toString("utf8");
    begun = [];
    length = 0;
    return line;
  };
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length);
    if (bytesRead === 0) break;
    let from = 0;
    while (from < bytesRead) {
      const found = chunk.subarray(0, bytesRead).indexOf(LINE_FEED, from);
      const end = found === -1 ? bytesRead : found;
      length += end - from;
      if (length <= MAX_LINE_BYTES) begun.push(Buffer.from(chunk.subarray(from, end)));
      else begun = [];
      if (found !== -1) {
        const line = finish();
        if (line !== "") yield line;
      }
      from = end + 1;
    }
  }
  const last = finish();
  if (last !== "") yield last;
}
